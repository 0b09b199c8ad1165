// Loaded before vigie: holds it at one step of sending "off" to the boiler, so that it can be killed there. PAUSE_AT names
// the step: `before` or `after` the state file is replaced by one in which the payload is `sending` or `acknowledged`. It
// says `paused`, and goes on when the file that GO_ON names is there.
import fs from "node:fs/promises";
import { syncBuiltinESMExports } from "node:module";
import { setTimeout as sleep } from "node:timers/promises";

const { PAUSE_AT, GO_ON } = process.env;
const { access, readFile, rename } = fs;

const isThere = (path) =>
  access(path).then(
    () => true,
    () => false,
  );

async function pauseAt(step) {
  if (step !== PAUSE_AT) return;
  process.stdout.write("paused\n");
  while (!(await isThere(GO_ON))) await sleep(10);
}

fs.rename = async (from, to) => {
  if (!to.endsWith("/state.json")) return rename(from, to);
  const sent = JSON.parse(await readFile(from, "utf8")).outputs?.["boiler/set"];
  const what = sent?.acknowledged ? "acknowledged" : "sending";
  if (sent) await pauseAt(`before ${what}`);
  await rename(from, to);
  if (sent) await pauseAt(`after ${what}`);
};
syncBuiltinESMExports();
