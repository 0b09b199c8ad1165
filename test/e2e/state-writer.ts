// Saves a state that grows and changes as fast as the disk takes it, until it is killed. Argument: the folder.
import { emptyState } from "../../src/state/state.ts";
import { openStore } from "../../src/state/store.ts";

const silent = { debug: String, info: String, warn: String, error: String };
const [, , folder = ""] = process.argv;
const problemLog = {
  starts: (_key: string, sentence: string) => process.stderr.write(`${sentence}\n`),
  isOver: String,
};
const store = await openStore(folder, { log: silent, problemLog, random: Math.random });
const first = Number(store.state().incarnation ?? 0) + 1;
for (let number = first; ; number += 1) {
  const padding = `${number};`.repeat(number % 5000);
  const saved = store.save({
    ...emptyState("writer"),
    incarnation: `${number}`,
    clients: { padding: { padding } },
  });
  // The second write makes the previous state file.
  if (number <= first + 1 || number % 3 === 0) await saved;
  if (number === first + 1) process.stdout.write("started\n");
}
