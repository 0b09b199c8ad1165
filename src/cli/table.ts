import type { Color } from "../core/calendar/tariff.ts";
import { oneLine } from "../runtime/escape-controls.ts";

/** A cell of a table; one that holds a day's colour may be painted in it. */
export type Cell = string | { text: string; color: Color | null };

/** Rows as lines, each column as wide as its widest cell. */
export function formatTable(rows: readonly (readonly Cell[])[], painted: boolean): string {
  const widths = widthsOf(rows);
  return rows.map((row) => `${formatRow(row, widths, painted)}\n`).join("");
}

/** A colour's name in its colour. */
export function paint(text: string, color: Color | null): string {
  return color === null ? text : `\u001b[${PAINT[color]}m${text}\u001b[0m`;
}

/** On a background of their own: white letters are seen on every terminal then. */
const PAINT: Record<Color, string> = { bleu: "97;44", blanc: "30;107", rouge: "97;41" };

function widthsOf(rows: readonly (readonly Cell[])[]): number[] {
  const widths: number[] = [];
  for (const row of rows) {
    for (const [column, cell] of row.entries()) {
      widths[column] = Math.max(widths[column] ?? 0, textOf(cell).length);
    }
  }
  return widths;
}

function formatRow(row: readonly Cell[], widths: readonly number[], painted: boolean): string {
  const cells = row.map((cell, column) => {
    const text = textOf(cell);
    const shown = painted && typeof cell === "object" ? paint(text, cell.color) : text;
    return shown + " ".repeat((widths[column] ?? 0) - text.length);
  });
  return cells.join("  ").trimEnd();
}

function textOf(cell: Cell): string {
  return oneLine(typeof cell === "string" ? cell : cell.text);
}

/** A day's colour; what was said instead, where it is none. */
export function colorCell(color: Color | null, raw: string | null = null) {
  return { text: color ?? (raw === null ? NOT_KNOWN : `unknown (${raw})`), color };
}

/** EUR/kWh. */
export function rateCell(rate: number | null): Cell {
  return rate === null ? NOT_KNOWN : String(Math.round(rate * 1e5) / 1e5);
}

export function confidenceCell(confidence: number | null): Cell {
  return confidence === null ? NOT_KNOWN : `${Math.round(confidence * 100)} %`;
}

const NOT_KNOWN = "-";
