import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { blocksOf, readPage } from "../support/guide.ts";
import { freePort } from "../support/ports.ts";
import { withoutPromtool } from "../support/promtool.ts";
import { createCleanup } from "../support/vigie.ts";

interface QueryAnswer {
  data: { result: { metric: Record<string, string> }[] };
}

interface Colored {
  color: string;
}

const PAGE = readPage("docs/calendar-and-metrics.md");
/** What Grafana asks Prometheus. */
const QUERY = /the query `([^`]+)`/.exec(PAGE)?.[1] ?? "";

describe.skipIf(withoutPromtool)(`docs/calendar-and-metrics.md with Prometheus ${withoutPromtool}`, () => {
  const cleanup = createCleanup();
  afterAll(cleanup.run);

  test("Prometheus reads the metrics of a running vigie", async () => {
    const [port, own] = [await freePort(), await freePort()];
    const folder = await cleanup.createFolder();
    const config = {
      service: { base_url: "simulator" },
      mqtt: { url: "embedded" },
      state: "./state",
      http: { listen: `127.0.0.1:${port}` },
    };
    const vigie = await cleanup.startVigie({ folder, config, env: { VIGIE_HTTP_LISTEN: "" } });
    await vigie.says(/^The page is at/);
    for (const key of ["scrape_configs", "groups"]) {
      const text = blocksOf(PAGE).find((block) => block.text.startsWith(`${key}:`))?.text ?? "";
      const file = key === "groups" ? "vigie-alerts.yml" : "prometheus.yml";
      const nearer = text
        .replace("192.0.2.20:8427", `127.0.0.1:${port}`)
        .replace("scrape_interval: 1m", "scrape_interval: 1s");
      await writeFile(join(folder, file), nearer);
    }
    const prometheus = spawn(
      "prometheus",
      [
        `--config.file=${join(folder, "prometheus.yml")}`,
        `--storage.tsdb.path=${join(folder, "data")}`,
        `--web.listen-address=127.0.0.1:${own}`,
      ],
      { cwd: folder, stdio: "ignore" },
    );
    const ended = once(prometheus, "exit");
    cleanup.add(async () => {
      prometheus.kill("SIGKILL");
      await ended;
    });
    const ask = async (query: string): Promise<Record<string, string>[]> => {
      const address = `http://127.0.0.1:${own}/api/v1/query?query=${encodeURIComponent(query)}`;
      const response = await fetch(address).catch(() => undefined);
      const answer = response?.ok ? ((await response.json()) as QueryAnswer) : undefined;
      return answer?.data.result.map(({ metric }) => metric) ?? [];
    };
    const state = async () => (await fetch(`http://127.0.0.1:${port}/api/state`)).json();
    // The page is there before the days are.
    const areShown = async () => {
      const { now, next } = (await state()) as { now: Colored; next: Colored };
      const shown = (await ask(QUERY)).map(({ day, color }) => `${day} ${color}`);
      return shown.includes(`now ${now.color}`) && shown.includes(`next ${next.color}`);
    };
    await expect.poll(areShown).toBe(true);
    expect(await ask('up{job="vigie"} == 1')).toHaveLength(1);
  });
});
