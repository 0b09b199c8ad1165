import { expect, onTestFinished, test, vi } from "vitest";
import { followConfig } from "../../src/app/reload.ts";
import { hearReloadSignal } from "../../src/runtime/reload-signal.ts";
import { loadText } from "../config/folder.ts";
import { logTo } from "../support/logs.ts";

const reloadSignal = hearReloadSignal();

test("a reload warns of what is new, and not again of what was known before", async () => {
  const first = { ...(await loadText("instance: vigie\n")), warnings: ["localhost in a container"] };
  let loaded = first;
  const lines: string[] = [];
  const { stop } = followConfig(first, {
    load: async () => loaded,
    restart: async () => undefined,
    log: logTo(lines),
    secrets: [],
    reloadSignal,
  });
  onTestFinished(stop);
  const reload = async (warnings: string[], grace: number) => {
    loaded = { ...first, warnings, config: { ...first.config, mqtt: { ...first.config.mqtt, grace } } };
    const before = lines.length;
    process.emit("SIGHUP");
    await vi.waitFor(() => expect(lines.at(-1)).toBe("The new configuration is in force"), 60_000);
    return lines.slice(before, -1);
  };
  expect(await reload(["localhost in a container", "no password"], 1)).toEqual(["no password"]);
  lines.pop();
  expect(await reload(["localhost in a container", "no password"], 2)).toEqual([]);
});

test("a reload with one wrong word logs one problem, and that the configuration before it stays", async () => {
  const outputs = "abcdef"
    .split("")
    .map((name) => `  - { topic: ${name}, choose: [{ when: peak, payload: x }] }`);
  const text = (rules: string) =>
    `${rules}: [{ id: peak, when: { period: hp } }]\noutputs:\n${outputs.join("\n")}\n`;
  const lines: string[] = [];
  let word = "regles";
  const first = await loadText(text("rules"));
  const { current, stop } = followConfig(first, {
    load: () => loadText(text(word)),
    restart: async () => undefined,
    log: logTo(lines),
    secrets: [],
    reloadSignal,
  });
  onTestFinished(stop);
  process.emit("SIGHUP");
  await vi.waitFor(() => expect(lines.at(-1)).toContain("stays in force"), 60_000);
  expect(lines).toEqual([
    'Configuration: config/vigie.yaml:1:1 regles: expected a known option (instance, service, official, mqtt, homeassistant, tariff, rules, outputs, http, state, log), got "regles" (did you mean rules?)',
    "The new configuration is wrong; the one before it stays in force",
  ]);
  expect(current().config).toBe(first.config);
  expect(current().refused).toEqual([lines[0]?.replace("Configuration: ", "")]);
  word = "rules";
  process.emit("SIGHUP");
  await vi.waitFor(() => expect(lines.at(-1)).toContain("nothing has changed"), 60_000);
  expect(current().refused).toEqual([]);
});

test("a reload that has another configuration in place of a wrong one takes it, and says nothing of its own", async () => {
  const first = await loadText("instance: vigie\n");
  const lines: string[] = [];
  const { current, stop } = followConfig(first, {
    load: async () => ({ ...first, refused: ["the form is wrong"] }),
    restart: () => Promise.reject(new Error("nothing has changed")),
    log: logTo(lines),
    secrets: [],
    reloadSignal,
  });
  onTestFinished(stop);
  process.emit("SIGHUP");
  await vi.waitFor(() => expect(current().refused).toEqual(["the form is wrong"]), 60_000);
  expect(lines).toEqual([]);
});
