import { afterAll, describe, expect, onTestFinished, test, vi } from "vitest";
import { shiftDate } from "../support/intl-wall-clock.ts";
import { passwordLine, startMosquitto, withoutMosquitto } from "../support/mosquitto.ts";
import { observe, untilHandled } from "../support/observer.ts";
import { answerDays } from "../support/plain-days.ts";
import { startPlainService } from "../support/plain-service.ts";
import { serveBleuDays, startVigieAndBroker, vigieConfig } from "../support/running-vigie.ts";
import { passTurns } from "../support/turns.ts";
import { createCleanup, runHere, writeConfig } from "../support/vigie.ts";

const cleanup = createCleanup();
afterAll(cleanup.run);

describe.skipIf(withoutMosquitto)(`vigie simulate ${withoutMosquitto}`, () => {
  test("lets the running vigie pretend, says what it answers, and ends that; ends with 1 if no vigie was there, or none is there any more", async () => {
    const service = await serveBleuDays(cleanup);
    const { folder, vigie, until, broker, observer } = await startVigieAndBroker(cleanup, {
      service,
      config: { tariff: { off_peak: [] } },
    });
    await until({ availability: "online", "service/status": "ok", "simulation/color": "auto" });
    const simulate = (...args: string[]) => runHere({ folder, args: ["simulate", ...args] });
    const next = await simulate("rouge:next");
    expect(next).toMatchObject({ code: 0, stdout: "" });
    expect(next.stderr).toMatch(
      /^rouge is pretended for \w+ \d+ \w+, the next tariff day, until (\S+ )?\d\d:\d\d\nvigie show tells/,
    );
    await until({ "simulation/color": "rouge", "next/color": "rouge", "next/source": "simulation" });
    await vigie.says(/^simulation\/set: rouge is pretended for the tariff day/);
    // The same colour once more, for another day and time.
    const now = await simulate("rouge", "--for", "90s");
    expect(now.stderr).toContain(", the tariff day in force, until ");
    expect(now.stderr).not.toContain("off-peak");
    await until({ "now/source": "simulation" });
    // Both last to the end of the day, so the second one changes nothing.
    const toTheEnd = await simulate("rouge", "--for", "24h");
    expect(toTheEnd.code).toBe(0);
    expect(await simulate("rouge", "--for", "24h")).toEqual(toTheEnd);
    expect(await simulate("auto")).toMatchObject({ code: 0, stderr: "No colour is pretended any more\n" });
    await until({ "simulation/color": "auto" });
    expect(await simulate("auto")).toMatchObject({ code: 0, stderr: "No colour is pretended\n" });

    const env = { VIGIE_MQTT_BASE_TOPIC: "cabin" };
    expect(await runHere({ folder, args: ["simulate", "rouge"], env })).toMatchObject({
      code: 1,
      stderr: `vigie simulate: There are no topics below cabin on ${broker.url}: no vigie has published there\n`,
    });
    await vigie.end("SIGKILL");
    // It counts as online until the grace is over.
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    onTestFinished(() => void vi.useRealTimers());
    const before = observer.received.length;
    const isTold = () =>
      observer.received.slice(before).some(({ topic }) => topic === "vigie/simulation/set");
    let dead: Awaited<ReturnType<typeof simulate>> | undefined;
    void simulate("rouge").then((ended) => (dead = ended));
    await observer.until(isTold, "the command came");
    // It begins to wait only when it knows that the broker has the command.
    await untilHandled(observer);
    while (dead === undefined) {
      vi.advanceTimersByTime(1_000);
      await passTurns(1);
    }
    expect(dead).toMatchObject({ code: 1 });
    expect(dead?.stderr).toMatch(
      /^vigie simulate: The running vigie has not answered on vigie\/simulation within 10 s\. /,
    );
  });

  test("says that an official rouge day stays rouge, and that devices get nothing", async () => {
    const days = [-1, 0, 1, 2].map((ahead) => shiftDate(new Date().toISOString().slice(0, 10), ahead));
    const colors = Object.fromEntries(days.map((date) => [date, "rouge"]));
    const service = await startPlainService((path) =>
      answerDays(path, Date.now(), { colors, officialAt: "00:00" }),
    );
    cleanup.add(service.stop);
    const { folder, until } = await startVigieAndBroker(cleanup, {
      service: service.url,
      here: true,
      config: { tariff: { laws: "off" }, outputs: { dry_when_simulated: true, list: [] } },
    });
    await until({ availability: "online", "next/color": "rouge", "next/official": "ON" });
    const { code, stderr } = await runHere({ folder, args: ["simulate", "blanc:next"] });
    expect(code).toBe(0);
    expect(stderr.split("\n").slice(1)).toEqual([
      "But this day is officially rouge, and stays so: a simulation never hides a rouge day",
      "Devices get nothing of it: outputs.dry_when_simulated is true",
      "vigie show tells what follows from it, vigie simulate auto ends it",
      "",
    ]);
    await until({ "simulation/color": "blanc", "next/color": "rouge" });
  });

  test("says in off-peak hours until when rules that ask for the peak hours wait", async () => {
    const service = await serveBleuDays(cleanup);
    const hour = Number(
      new Intl.DateTimeFormat("en-GB", { hour: "2-digit", timeZone: "Europe/Paris" }).format(),
    );
    const at = (ahead: number) => `${String((hour + 24 + ahead) % 24).padStart(2, "0")}:00`;
    const { folder, until } = await startVigieAndBroker(cleanup, {
      service,
      here: true,
      config: { tariff: { off_peak: [`${at(-1)}-${at(6)}`] } },
    });
    await until({ availability: "online", "simulation/color": "auto", "now/period": "hc" });
    const simulate = (...args: string[]) => runHere({ folder, args: ["simulate", ...args] });
    const { stderr } = await simulate("rouge");
    // From six in the evening on they end tomorrow.
    const date = hour + 6 < 24 ? "" : "\\d{4}-\\d{2}-\\d{2} ";
    expect(stderr.split("\n")[1]).toMatch(
      new RegExp(`^It is off-peak \\(hc\\) until ${date}${at(6)}: a rule that also asks for peak hours`),
    );
    expect((await simulate("rouge:next")).stderr).not.toContain("off-peak");
  });

  test("says what an older vigie answers, which does not name the day", async () => {
    const broker = await startMosquitto();
    cleanup.add(broker.remove);
    const observer = await observe(broker.url);
    cleanup.add(observer.disconnect);
    await observer.publish("vigie/availability", "online");
    const folder = await cleanup.createFolder();
    const answer = observer.until(
      ({ received }) => received.some(({ topic }) => topic === "vigie/simulation/set"),
      "the command came",
    );
    await writeConfig(folder, vigieConfig("none", broker.url, { official: { source: "rte" } }));
    const simulated = runHere({ folder, args: ["simulate", "rouge:next", "--for", "90m"] });
    await answer;
    const [command] = observer.received.filter(({ topic }) => topic === "vigie/simulation/set");
    expect(command?.payload).toBe('{"color":"rouge","from":"next","for":"90m"}');
    const until = "2026-01-05T19:00:00Z";
    await observer.publish("vigie/simulation", JSON.stringify({ color: "rouge", from: "next", until }));
    const { code, stderr } = await simulated;
    expect(stderr).toMatch(/^rouge is pretended for the next tariff day, until 2026-01-05 20:00\n/);
    expect(code).toBe(0);
  });

  test("ends with 1 if the broker refuses the command", async () => {
    const broker = await startMosquitto({
      lines: ["allow_anonymous true", "acl_file FOLDER/acl", "password_file FOLDER/passwords"],
      files: {
        acl: "topic read #\ntopic write vigie/owner/ping\nuser house\ntopic readwrite #\n",
        passwords: passwordLine("house", "secret"),
      },
    });
    cleanup.add(broker.remove);
    // What a vigie has published.
    const observer = await observe(broker.url.replace("://", "://house:secret@"));
    cleanup.add(observer.disconnect);
    await observer.publish("vigie/availability", "online");
    await observer.publish("vigie/simulation/color", "auto");
    const folder = await cleanup.createFolder();
    await writeConfig(folder, vigieConfig("none", broker.url, { official: { source: "rte" } }));
    expect(await runHere({ folder, args: ["simulate", "rouge"] })).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^vigie simulate: The broker refuses vigie\/simulation\/set: /),
    });
    expect((await runHere({ folder, args: ["show", "--json"] })).stdout).toContain(
      '"simulation/color": "auto"',
    );
  });
});
