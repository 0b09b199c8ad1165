import { parseAst } from "rolldown/parseAst";

/** One small change of a source file that may change what it does. */
export interface Mutation {
  /** Offsets in the text: `replacement` takes the place of what is between them. */
  start: number;
  end: number;
  replacement: string;
}

interface Node {
  type: string;
  start: number;
  end: number;
  [key: string]: unknown;
}

/** All mutations of a TypeScript file, in the order of its text: comparisons turned, conditions negated, statements dropped, constants changed. */
export function findMutations(text: string): Mutation[] {
  const found: Mutation[] = [];
  visit(parseAst(text, { lang: "ts" }) as unknown as Node, (node) => found.push(...mutationsOf(node, text)));
  return found
    .filter((mutation) => canBeRead(mutate(text, mutation)))
    .sort((one, other) => one.start - other.start || one.end - other.end);
}

export function mutate(text: string, { start, end, replacement }: Mutation): string {
  return text.slice(0, start) + replacement + text.slice(end);
}

/** A text with `??` beside `||`, for example, cannot: no test has to see that. */
function canBeRead(text: string): boolean {
  try {
    parseAst(text, { lang: "ts" });
    return true;
  } catch {
    return false;
  }
}

function visit(node: Node, see: (node: Node) => void): void {
  // Types do nothing.
  if (node.type.startsWith("TS") && !TYPED_EXPRESSIONS.has(node.type)) return;
  if (node.type === "ImportDeclaration") return;
  see(node);
  for (const value of Object.values(node))
    for (const child of [value].flat()) if (isNode(child)) visit(child, see);
}

function isNode(value: unknown): value is Node {
  return typeof value === "object" && value !== null && "type" in value && "start" in value;
}

function mutationsOf(node: Node, text: string): Mutation[] {
  const { type, start, end } = node;
  switch (type) {
    case "BinaryExpression":
    case "LogicalExpression":
      return turnOperator(node, text);
    case "IfStatement":
    case "ConditionalExpression": {
      const test = node["test"] as Node;
      return [{ start: test.start, end: test.end, replacement: `!(${text.slice(test.start, test.end)})` }];
    }
    case "ExpressionStatement":
    case "ContinueStatement":
    case "BreakStatement":
      return [{ start, end, replacement: ";" }];
    case "ReturnStatement":
      // A return without a value only ends a function earlier.
      return node["argument"] === null ? [{ start, end, replacement: ";" }] : [];
    case "Literal":
      return changeConstant(node);
    default:
      return [];
  }
}

function turnOperator(node: Node, text: string): Mutation[] {
  const [left, right] = [node["left"] as Node, node["right"] as Node];
  const operator = String(node["operator"]);
  const turned = TURNED[operator];
  if (turned === undefined) return [];
  const start = text.indexOf(operator, left.end);
  if (start < 0 || start >= right.start) return [];
  return [{ start, end: start + operator.length, replacement: turned }];
}

function changeConstant({ value, start, end }: Node): Mutation[] {
  if (typeof value === "boolean") return [{ start, end, replacement: String(!value) }];
  if (typeof value === "number") return [{ start, end, replacement: value === 0 ? "1" : String(value + 1) }];
  return [];
}

const TYPED_EXPRESSIONS = new Set(["TSAsExpression", "TSNonNullExpression", "TSSatisfiesExpression"]);

const TURNED: Readonly<Record<string, string>> = {
  "<": "<=",
  "<=": "<",
  ">": ">=",
  ">=": ">",
  "===": "!==",
  "!==": "===",
  "&&": "||",
  "||": "&&",
  "??": "&&",
  "+": "-",
  "-": "+",
  "*": "/",
};
