// Writes a folder as one zip whose bytes are the same at each build: files in the order of their names, without dates, and not
// compressed, because the same text gets other bytes from another version of zlib.
import { readdir, readFile, stat, writeFile } from "node:fs/promises";
import { join, sep } from "node:path";
import { crc32 } from "node:zlib";

/** `top` is the folder that unpacking the zip makes. */
export async function writeZip(zip, folder, top) {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const files = [];
  const directory = [];
  let offset = 0;
  for (const path of paths.toSorted()) {
    const content = await readFile(path);
    const name = Buffer.from([top, ...path.slice(folder.length + 1).split(sep)].join("/"));
    const isExecutable = ((await stat(path)).mode & 0o100) !== 0;
    const described = [
      [2, VERSION],
      [2, NAME_IS_UTF8],
      [2, NOT_COMPRESSED],
      [2, MIDNIGHT],
      [2, FIRST_OF_JANUARY_1980],
      [4, crc32(content)],
      [4, content.length],
      [4, content.length],
      [2, name.length],
      [2, 0], // more fields
    ];
    const file = Buffer.concat([numbers([[4, 0x04034b50], ...described]), name, content]);
    const row = numbers([
      [4, 0x02014b50],
      [2, UNIX | VERSION],
      ...described,
      [2, 0], // comment
      [2, 0], // disk
      [2, 0], // kind of content
      [4, (isExecutable ? 0o100755 : 0o100644) * 0x10000],
      [4, offset],
    ]);
    files.push(file);
    directory.push(row, name);
    offset += file.length;
  }
  const length = directory.reduce((sum, part) => sum + part.length, 0);
  const end = numbers([
    [4, 0x06054b50],
    [2, 0], // this disk
    [2, 0], // disk of the directory
    [2, files.length],
    [2, files.length],
    [4, length],
    [4, offset],
    [2, 0], // comment
  ]);
  await writeFile(zip, Buffer.concat([...files, ...directory, end]));
}

/** Each with its number of bytes. */
function numbers(rows) {
  return Buffer.concat(
    rows.map(([bytes, value]) => {
      const buffer = Buffer.alloc(bytes);
      buffer.writeUIntLE(value, 0, bytes);
      return buffer;
    }),
  );
}

/** Of the format, which whoever unpacks it must know: 2.0. */
const VERSION = 20;
const UNIX = 3 << 8;
const NAME_IS_UTF8 = 1 << 11;
const NOT_COMPRESSED = 0;
const MIDNIGHT = 0;
/** The earliest date that the format can name. */
const FIRST_OF_JANUARY_1980 = (1 << 5) | 1;
