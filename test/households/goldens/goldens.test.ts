import { describe, expect, test } from "vitest";
import { LONG } from "../../support/long.ts";
import { withoutMosquitto } from "../../support/mosquitto.ts";
import { runHousehold } from "../household.ts";
import { judge } from "../judges/judges.ts";
import type { Trace } from "../trace.ts";
import { composeGolden } from "./compose-golden.ts";
import { fileOf, keep, listKept, readKept, type Which } from "./kept-golden.ts";
import { runCommands } from "./run-commands.ts";
import { SCENES } from "./scenes.ts";

/** As `npm run goldens` sets it. */
const IS_KEPT_ANEW = process.env["VIGIE_GOLDENS"] === "keep";

// `$title` would be cut after forty characters.
describe.each(SCENES.map((scene) => [scene.title, scene] as const))("%s", (title, scene) => {
  let trace: Promise<Trace> | undefined;
  const live = () => {
    trace ??= runHousehold(scene.scenario);
    return trace;
  };
  const expectKept = (which: Which, seen: string) => {
    if (IS_KEPT_ANEW) keep(title, which, seen);
    expect(seen).toBe(readKept(title, which));
  };

  test("all that is seen is what was kept", async () => {
    const trace = await live();
    const { data, words } = composeGolden(trace, scene);
    expectKept("data", data);
    expectKept("words", words);
    // Nothing that is wrong is kept.
    if (LONG) expect(judge(trace).violations).toEqual([]);
  });

  // Each starts a program: `npm test` runs those of one scene.
  if (scene.commands && (LONG || IS_KEPT_ANEW || scene === SCENES[0]))
    test.skipIf(withoutMosquitto)(`the commands print what was kept ${withoutMosquitto}`, async () => {
      expectKept("commands", await runCommands(await live(), scene));
    });
});

test("nothing is kept of which there is no scene", () => {
  const files = SCENES.flatMap(({ title, commands }) =>
    (["data", "words", ...(commands ? ["commands" as const] : [])] as const).map((which) =>
      fileOf(title, which),
    ),
  );
  expect(listKept()).toEqual(files.toSorted());
});
