import { chmod, lstat, readdir, readFile, stat, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { SetupFailed } from "../../src/setup/context.ts";
import { findTarget, type Target, writeTarget } from "../../src/setup/target.ts";
import { WORDS } from "../../src/setup/words.ts";
import { folderWith } from "../config/folder.ts";
import { readPage } from "../support/guide.ts";

const SHIPPED = readPage("config/vigie.yaml");
const find = (cwd: string, named?: string, env = {}) => findTarget(named, { env, cwd }, WORDS.en);
const write = (target: Target, text: string, password?: string) => {
  const secrets = password === undefined ? [] : [{ ...target.password, text: password }];
  return writeTarget(target, { text, secrets }, WORDS.en);
};
const read = (...path: string[]) => readFile(join(...path), "utf8");
const modeOf = async (...path: string[]) => ((await stat(join(...path))).mode & 0o777).toString(8);

describe("where a set-up writes", () => {
  test("is the file that is named, then the one of VIGIE_CONFIG, then the one that vigie reads", async () => {
    const cwd = await folderWith({ "config/vigie.yaml": "instance: mine" });
    expect(await find(cwd, "a.yaml", { VIGIE_CONFIG: "b.yaml" })).toMatchObject({
      shown: "a.yaml",
      before: null,
    });
    expect(await find(cwd, undefined, { VIGIE_CONFIG: "b.yaml" })).toMatchObject({
      path: join(cwd, "b.yaml"),
    });
    expect(await find(cwd)).toMatchObject({
      shown: "config/vigie.yaml",
      before: "instance: mine",
      hasSchema: false,
    });
  });

  test("keeps the file that vigie ships as a copy, which explains every option from then on", async () => {
    const cwd = await folderWith({ "config/vigie.yaml": SHIPPED, "config/vigie.schema.json": "{}" });
    const first = await find(cwd);
    expect(first).toMatchObject({
      copy: "config/vigie.yaml.old",
      explainedIn: "config/vigie.yaml.old",
      hasSchema: true,
    });
    await write(first, "instance: mine");
    expect(await find(cwd)).toMatchObject({
      copy: "config/vigie.yaml.old-2",
      explainedIn: "config/vigie.yaml.old",
    });
    await writeFile(join(cwd, "config/vigie.yaml.old"), "instance: other");
    expect(await find(cwd)).toMatchObject({ explainedIn: null });
  });

  test("is the file at the end of a link, which stays", async () => {
    const cwd = await folderWith({ "real.yaml": "old" });
    await symlink(join(cwd, "real.yaml"), join(cwd, "link.yaml"));
    await write(await find(cwd, "link.yaml"), "new");
    expect(await read(cwd, "real.yaml")).toBe("new");
    expect(await read(cwd, "link.yaml")).toBe("new");
    expect(await read(cwd, "real.yaml.old")).toBe("old");
  });

  test.each([
    ["a folder", "folder", "it is a folder, not a file"],
    ["a device", "/dev/null", "it is a pipe or a device, not a file"],
    ["below a file", "file/vigie.yaml", "a part of its path is a file, not a folder"],
  ])("is refused before anybody is asked: %s", async (_, named, words) => {
    const cwd = await folderWith({ file: "", "folder/x": "" });
    await expect(find(cwd, named)).rejects.toThrow(words);
    await expect(find(cwd, named)).rejects.toBeInstanceOf(SetupFailed);
  });

  test.skipIf(process.getuid?.() === 0)("is refused where this user may not write", async () => {
    const cwd = await folderWith({ "ours/vigie.yaml": "", "theirs/x": "" });
    await chmod(join(cwd, "ours/vigie.yaml"), 0o444);
    await chmod(join(cwd, "theirs"), 0o555);
    await expect(find(cwd, "ours/vigie.yaml")).rejects.toThrow("this user has no permission");
    await expect(find(cwd, "theirs/vigie.yaml")).rejects.toThrow("this user has no permission");
  });
});

describe("what a set-up writes", () => {
  test("is readable for all, its password for its owner only, and nothing else is left", async () => {
    const cwd = await folderWith();
    const target = await find(cwd, "config/vigie.yaml");
    expect(await write(target, "text\n", " p w#\u00e9 ")).toBeNull();
    expect(await readdir(join(cwd, "config"))).toEqual(["mqtt_password", "vigie.yaml"]);
    expect(await read(cwd, "config/vigie.yaml")).toBe("text\n");
    expect(await read(cwd, "config/mqtt_password")).toBe(" p w#\u00e9 \n");
    expect([await modeOf(cwd, "config/vigie.yaml"), await modeOf(cwd, "config/mqtt_password")]).toEqual([
      "644",
      "600",
    ]);
  });

  test("keeps each file that was there under a name of its own", async () => {
    const cwd = await folderWith({ "vigie.yaml": "first", mqtt_password: "one\n" });
    await chmod(join(cwd, "mqtt_password"), 0o644);
    expect(await write(await find(cwd, "vigie.yaml"), "second", "two")).toBe("vigie.yaml.old");
    expect(await write(await find(cwd, "vigie.yaml"), "third", "two")).toBe("vigie.yaml.old-2");
    const names = ["mqtt_password", "mqtt_password.old", "vigie.yaml", "vigie.yaml.old", "vigie.yaml.old-2"];
    expect(await readdir(cwd)).toEqual(names);
    const contents = await Promise.all(names.map((name) => read(cwd, name)));
    expect(contents).toEqual(["two\n", "one\n", "third", "first", "second"]);
    expect(await modeOf(cwd, "mqtt_password")).toBe("600");
  });

  test("keeps a password that cannot be read, too, and puts it back if the configuration cannot be written", async () => {
    const unreadable = Buffer.from([0x7a, 0xff, 0x0a]);
    const cwd = await folderWith();
    await writeFile(join(cwd, "mqtt_password"), unreadable);
    const impossible = await find(cwd, `${"long".repeat(60)}.yaml`);
    await expect(write(impossible, "text", "new secret")).rejects.toBeInstanceOf(SetupFailed);
    expect(await readFile(join(cwd, "mqtt_password"))).toEqual(unreadable);
    await write(await find(cwd, "vigie.yaml"), "text", "new secret");
    expect(await readFile(join(cwd, "mqtt_password.old"))).toEqual(unreadable);
    expect(await read(cwd, "mqtt_password")).toBe("new secret\n");
  });

  test("is where a link points to, also if nothing is there yet", async () => {
    const cwd = await folderWith({ "real/x": "" });
    await symlink("real/vigie.yaml", join(cwd, "vigie.yaml"));
    await write(await find(cwd, "vigie.yaml"), "text", undefined);
    expect(await read(cwd, "real/vigie.yaml")).toBe("text");
    expect((await lstat(join(cwd, "vigie.yaml"))).isSymbolicLink()).toBe(true);
  });

  test("is both files or none: a password stays as it was if the configuration cannot be written", async () => {
    for (const before of ["old secret\n", ""]) {
      const cwd = await folderWith({ mqtt_password: before });
      // The temporary name beside it is longer than a disk allows.
      const target = await find(cwd, `${"long".repeat(60)}.yaml`);
      await expect(write(target, "text", "new secret")).rejects.toBeInstanceOf(SetupFailed);
      expect(await read(cwd, "mqtt_password")).toBe(before);
      expect(await readdir(cwd)).toEqual(["mqtt_password"]);
    }
  });

  test("is nothing where the password has no place", async () => {
    const cwd = await folderWith({ "vigie.yaml": "old", "mqtt_password/x": "" });
    const writing = write(await find(cwd, "vigie.yaml"), "new", "secret");
    await expect(writing).rejects.toThrow("mqtt_password cannot be written");
    expect(await read(cwd, "vigie.yaml")).toBe("old");
    expect(await readdir(cwd)).toEqual(["mqtt_password", "vigie.yaml"]);
  });
});
