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

/** `npm run goldens` sets it. */
const IS_KEPT_ANEW = process.env["VIGIE_GOLDENS"] === "keep";
const WHAT_TO_DO = "if what is seen now is right, npm run goldens keeps it (docs/development.md)";

/** Seconds. `npm test` lives what is shorter. */
const HALF_A_DAY = 12 * 3_600;
const LIVED = SCENES.filter(({ scenario }) => LONG || IS_KEPT_ANEW || scenario.length < HALF_A_DAY);

// `$title` would be cut after forty characters.
describe.each(LIVED.map((scene) => [scene.title, scene] as const))("%s", (title, scene) => {
  let trace: Promise<Trace> | undefined;
  const live = () => {
    trace ??= runHousehold(scene.scenario);
    return trace;
  };
  const expectKept = (which: Which, seen: string) => {
    if (IS_KEPT_ANEW) keep(title, which, seen);
    expect(seen, WHAT_TO_DO).toBe(readKept(title, which));
  };

  test("all that is seen is what was kept", async () => {
    const trace = await live();
    // Nothing that a judge calls wrong is kept.
    if (LONG || IS_KEPT_ANEW) expect(judge(trace).violations).toEqual([]);
    const { data, words } = composeGolden(trace, scene);
    expectKept("data", data);
    expectKept("words", words);
  });

  // Each starts a program: `npm test` runs those of one scene.
  if (scene.commands && (LONG || IS_KEPT_ANEW || scene === LIVED[0]))
    test.skipIf(withoutMosquitto)(`the commands print what was kept ${withoutMosquitto}`, async () => {
      expectKept("commands", await runCommands(await live(), scene));
    });
});

test("each kept file is of a scene, and of each scene all files are kept", () => {
  const files = SCENES.flatMap(({ title, commands }) =>
    (["data", "words", ...(commands ? ["commands" as const] : [])] as const).map((which) =>
      fileOf(title, which),
    ),
  );
  expect(listKept(), "delete the files of a scene that is gone or has another title").toEqual(
    files.toSorted(),
  );
});

test("an owner types commands at looks only that the scene has", () => {
  for (const { scenario, commands = {} } of SCENES) {
    const looks = scenario.events.flatMap((event) => (event.kind === "look" ? [event.name] : []));
    expect(looks).toEqual(expect.arrayContaining(Object.keys(commands)));
  }
});
