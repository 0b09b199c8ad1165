/** A test in TypeScript reads what the bench writes. */
export function writeFigures(readme: string, measured: unknown): string;
