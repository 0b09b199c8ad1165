/** What a record of rule ids holds; an id may be a word that every object knows (`constructor`). */
export function own<T>(record: Readonly<Record<string, T>>, id: string): T | undefined {
  return Object.hasOwn(record, id) ? record[id] : undefined;
}
