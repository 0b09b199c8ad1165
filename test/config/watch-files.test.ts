import { link, mkdir, rename, rm, symlink, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, type TestContext, test, vi } from "vitest";
import { readFingerprint } from "../../src/config/read-text.ts";
import { watchConfig } from "../../src/config/watch-files.ts";
import { folderWith } from "./folder.ts";

const asRead = async (path: string) => ({ path, fingerprint: await readFingerprint(path) });

/** Starts a watch and counts what it says; `checkEvery` is long where the system's own watch must do. */
async function watched(
  { onTestFinished }: TestContext,
  paths: string[],
  checkEvery = 60_000,
): Promise<() => number> {
  const read = await Promise.all(paths.map(asRead));
  const changed = vi.fn();
  const stop = watchConfig({ read, changed, checkEvery });
  onTestFinished(stop);
  return () => changed.mock.calls.length;
}

const quiet = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));
const soon = { timeout: 15_000, interval: 20 };

test.concurrent("writing a file is one change", async (context) => {
  const file = join(await folderWith({ a: "one" }, context.onTestFinished), "a");
  const changes = await watched(context, [file]);
  await writeFile(file, "two");
  await vi.waitFor(() => expect(changes()).toBe(1), soon);
  await writeFile(file, "three");
  await vi.waitFor(() => expect(changes()).toBe(2), soon);
});

test.concurrent("a file that changed between its reading and the watch is a change, at once", async ({
  onTestFinished,
}) => {
  const file = join(await folderWith({ a: "one" }, onTestFinished), "a");
  const read = [await asRead(file)];
  await writeFile(file, "two");
  const changed = vi.fn();
  onTestFinished(watchConfig({ read, changed, checkEvery: 3_600_000 }));
  await vi.waitFor(() => expect(changed).toHaveBeenCalledOnce(), soon);
});

test.concurrent("replacing a file by another one is a change", async (context) => {
  const folder = await folderWith({ a: "one" }, context.onTestFinished);
  const changes = await watched(context, [join(folder, "a")]);
  await writeFile(join(folder, "new"), "two");
  await rename(join(folder, "new"), join(folder, "a"));
  await vi.waitFor(() => expect(changes()).toBe(1), soon);
});

test.concurrent("pointing a link to another folder is a change, as Kubernetes swaps its mounts", async (context) => {
  const folder = await folderWith(
    { "..1/vigie.yaml": "one", "..2/vigie.yaml": "two" },
    context.onTestFinished,
  );
  await symlink("..1", join(folder, "..data"));
  await symlink("..data/vigie.yaml", join(folder, "vigie.yaml"));
  const changes = await watched(context, [join(folder, "vigie.yaml")]);
  await symlink("..2", join(folder, "..data_tmp"));
  await rename(join(folder, "..data_tmp"), join(folder, "..data"));
  await vi.waitFor(() => expect(changes()).toBe(1), soon);
});

test.concurrent("a file behind a link to another folder is followed", async (context) => {
  const folder = await folderWith({ "elsewhere/a": "one" }, context.onTestFinished);
  await mkdir(join(folder, "here"));
  await symlink("../elsewhere/a", join(folder, "here/a"));
  const changes = await watched(context, [join(folder, "here/a")]);
  await writeFile(join(folder, "elsewhere/a"), "two");
  await vi.waitFor(() => expect(changes()).toBe(1), soon);
});

test.concurrent("touching a file, writing the same content, and other files in the folder are no change; a later one is", async (context) => {
  const folder = await folderWith({ a: "one", b: "x" }, context.onTestFinished);
  const changes = await watched(context, [join(folder, "a")]);
  await utimes(join(folder, "a"), new Date(0), new Date(0));
  await writeFile(join(folder, "a"), "one");
  await writeFile(join(folder, "b"), "y");
  await quiet(700);
  expect(changes()).toBe(0);
  await writeFile(join(folder, "a"), "two");
  await vi.waitFor(() => expect(changes()).toBe(1), soon);
});

test.concurrent("writing in two steps, or removing the file for a moment, is one change", async (context) => {
  const file = join(await folderWith({ a: "one" }, context.onTestFinished), "a");
  const changes = await watched(context, [file]);
  await writeFile(file, "");
  await quiet(60);
  await rm(file);
  await quiet(60);
  await writeFile(file, "two");
  await vi.waitFor(() => expect(changes()).toBe(1), soon);
  await quiet(600);
  expect(changes()).toBe(1);
});

test.concurrent("a change is found by reading where the system does not report it", async (context) => {
  const folder = await folderWith({ "here/a": "one", "elsewhere/b": "" }, context.onTestFinished);
  // The same file under a name in another folder: the system reports what is written there to that folder only.
  await link(join(folder, "here/a"), join(folder, "elsewhere/a"));
  const changes = await watched(context, [join(folder, "here/a")], 50);
  await writeFile(join(folder, "elsewhere/a"), "two");
  await vi.waitFor(() => expect(changes()).toBe(1), soon);
});

test.concurrent("nothing is reported after the stop, and stopping ends at once", async (context) => {
  const file = join(await folderWith({ a: "one" }, context.onTestFinished), "a");
  const changed = vi.fn();
  const stop = watchConfig({ read: [await asRead(file)], changed });
  await writeFile(file, "two");
  await stop();
  await writeFile(file, "three");
  await quiet(400);
  expect(changed).not.toHaveBeenCalled();
});

test.concurrent("without files there is nothing to watch", async () => {
  await watchConfig({ read: [], changed: () => expect.unreachable() })();
});
