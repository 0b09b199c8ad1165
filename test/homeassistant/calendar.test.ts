import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { addDays, tariffDate } from "../../src/core/calendar/dates.ts";
import { seasonOf } from "../../src/core/calendar/tariff-season.ts";
import type { KnownDay } from "../../src/core/days/known-days.ts";
import { forecast, knownDaysOf, official, officialDays } from "../support/known-days.ts";
import { servePage } from "../support/page-server.ts";
import { PARIS } from "../support/tariff.ts";
import { openTestLoop } from "../support/test-loop.ts";
import { viewOf } from "../support/views.ts";
import { expectNoComplaints } from "./complaints.ts";
import { withoutHomeAssistant } from "./home-assistant.ts";
import { runFlow } from "./onboarding.ts";
import { type SharedHome, sharedHome } from "./shared-home.ts";

const CALENDAR = "calendar.colour_days";
/** Tomorrow may be rouge on each day of the year. */
const WITHOUT_LAWS = { ...PARIS, laws: "off" } as const;

interface Event {
  start: string;
  end: string;
  summary: string;
  description?: string;
}

describe.skipIf(withoutHomeAssistant)(`Home Assistant's Remote Calendar ${withoutHomeAssistant}`, () => {
  const now = tariffDate(Date.now(), PARIS);
  const season = seasonOf(now);
  const past = officialDays(season.start, addDays(now, -1), { [addDays(now, -1)]: "rouge" });
  let shared: SharedHome;
  let server: Awaited<ReturnType<typeof servePage>> | undefined;
  let entry: string | undefined;

  const viewWith = (
    days: Record<string, KnownDay>,
    { at = Date.now(), isInvented = false }: { at?: number; isInvented?: boolean } = {},
  ) => {
    const tariff = WITHOUT_LAWS;
    const { loop } = openTestLoop({ clock: { at }, days: knownDaysOf(days), isInvented, tariff });
    return viewOf(loop, { tariff });
  };
  const serve = (...shown: Parameters<typeof viewWith>) => server?.show(viewWith(...shown));
  /** Home Assistant reads the calendar now. */
  const reload = () => shared.home.post(`/api/config/config_entries/entry/${entry}/reload`, {});
  const events = async (from = season.start, to = addDays(season.end, 2)): Promise<Event[]> => {
    const answer = (await shared.home.ask("call_service", {
      domain: "calendar",
      service: "get_events",
      service_data: { start_date_time: `${from} 00:00:00`, end_date_time: `${to} 00:00:00` },
      target: { entity_id: CALENDAR },
      return_response: true,
    })) as { response: Record<string, { events: Event[] }> };
    return answer.response[CALENDAR]?.events ?? [];
  };
  const titles = async () =>
    Object.fromEntries((await events()).map((e) => [e.start.slice(0, 10), e.summary]));

  beforeAll(async () => {
    shared = await sharedHome();
    const tomorrow = forecast("rouge", { confidence: 0.8 });
    const view = viewWith({ ...past, [now]: official("blanc"), [addDays(now, 1)]: tomorrow });
    server = await servePage({ view, language: "en" });
    entry = await runFlow(shared.home, "remote_calendar", {
      calendar_name: "Colour days",
      url: `${server.url}calendar.ics?forecast=all`,
      verify_ssl: true,
    });
  });
  afterAll(async () => {
    if (entry !== undefined) await shared.home.discard(`/api/config/config_entries/entry/${entry}`);
    await server?.stop();
  });

  test("shows each day of the season, and the day in force as what is going on", async () => {
    await shared.home.until({ [CALENDAR]: "on" });
    const state = await shared.home.state(CALENDAR);
    expect(state?.attributes).toMatchObject({
      message: "⚪ Blanc day",
      description: "The colour is official.",
      all_day: false,
      start_time: `${now} 06:00:00`,
      end_time: `${addDays(now, 1)} 06:00:00`,
    });
    const pastTitles = Object.keys(past).map((date) => [
      date,
      date === addDays(now, -1) ? "🔴 Rouge day" : "🔵 Bleu day",
    ]);
    expect(await titles()).toEqual({
      ...Object.fromEntries(pastTitles),
      [now]: "⚪ Blanc day",
      [addDays(now, 1)]: "🔴 Rouge day, forecast 80 %",
    });
  });

  test("has an hour more, or less, on the days on which the clocks are moved", async () => {
    const [from, to] = ["2026-10-20", "2027-04-01"];
    serve(officialDays(from, to), { at: Date.parse("2027-03-31T12:00:00Z") });
    await reload();
    const all = await events(from, to);
    expect(new Set(all.map(({ start }) => start.slice(11, 16)))).toEqual(new Set(["06:00"]));
    const hours = (e: Event) => (Date.parse(e.end) - Date.parse(e.start)) / 3_600_000;
    const odd = all.filter((e) => hours(e) !== 24).map((e) => [e.start.slice(0, 10), hours(e)]);
    expect(odd).toEqual([
      ["2026-10-24", 25],
      ["2027-03-27", 23],
    ]);
  });

  test("shows another colour in the place of the one before, once it has read the calendar again", async () => {
    const tomorrow = addDays(now, 1);
    serve({ ...past, [now]: official("blanc"), [tomorrow]: official("blanc") });
    await reload();
    expect(await titles()).toMatchObject({ [tomorrow]: "⚪ Blanc day" });
    serve({ ...past, [now]: official("blanc"), [tomorrow]: official("rouge", { revised_from: "blanc" }) });
    await shared.home.call("homeassistant", "update_entity", { entity_id: CALENDAR });
    await expect.poll(titles).toMatchObject({ [tomorrow]: "🔴 Rouge day" });
    const changed = (await events()).filter(({ start }) => start.startsWith(tomorrow));
    expect(changed.map(({ summary, description }) => [summary, description])).toEqual([
      ["🔴 Rouge day", "The colour is official.\nIt was blanc before it was corrected."],
    ]);
  });

  test("shows that invented days are invented, and nothing where nothing is known; without a complaint", async () => {
    const mark = await shared.home.mark();
    serve({ [now]: official("rouge") }, { isInvented: true });
    await reload();
    expect(await titles()).toEqual({ [now]: "🔴 Rouge day (INVENTED by the simulator)" });
    serve({});
    await reload();
    await shared.home.until({ [CALENDAR]: "off" });
    expect(await events()).toEqual([]);
    await expectNoComplaints(shared.home, mark);
  });
});
