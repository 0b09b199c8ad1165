import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from "vitest";
import { askSupervisor } from "../../src/app/ask-supervisor.ts";
import { NOBODY } from "../support/ports.ts";
import { type Supervisor, startSupervisor, TOKEN } from "../support/supervisor.ts";
import { settled } from "../support/test-loop.ts";

const NEVER = new AbortController().signal;
const ask = (env: NodeJS.ProcessEnv, signal = NEVER) => askSupervisor(env, signal);

describe("the Supervisor", () => {
  let supervisor: Supervisor;
  beforeAll(async () => {
    supervisor = await startSupervisor();
  });
  afterAll(() => supervisor.stop());
  const answerOf = () => ask({ SUPERVISOR_TOKEN: TOKEN, SUPERVISOR_URL: supervisor.url });

  test("names the broker, its user and its password", async () => {
    supervisor.names({ host: "core-mosquitto", port: 1883, password: "p" });
    const broker = { url: "mqtt://core-mosquitto:1883", username: "addons", password: "p" };
    expect(await answerOf()).toEqual({ broker });
  });

  test("names one that speaks TLS, and one without a password", async () => {
    supervisor.answers(200, '{"data":{"host":"emqx","port":8883,"ssl":true,"username":null}}');
    expect(await answerOf()).toEqual({
      broker: { url: "mqtts://emqx:8883", username: undefined, password: undefined },
    });
  });

  test("has none", async () => {
    supervisor.namesNone();
    expect(await answerOf()).toEqual({ none: true });
  });

  test.each<[number, string, string, Record<string, string>?]>([
    [403, "{}", "it answers with status 403"],
    [500, "oops", "it answers with status 500"],
    [302, "", "it answers with status 302", { Location: "http://127.0.0.1:9/" }],
    [200, "<!DOCTYPE html><html>Home Assistant</html>", "its answer names no host and port"],
    [200, "", "its answer names no host and port"],
    [200, '{"result":"ok","data":{}}', "its answer names no host and port"],
    [200, '{"result":"ok","data":{"host":"a b","port":1883}}', "its answer names no host and port"],
    [200, '{"result":"ok","data":{"host":"a","port":"1883"}}', "its answer names no host and port"],
    [200, '{"result":"ok","da', "its answer names no host and port"],
    [200, `{"data":"${"x".repeat(70_000)}"}`, "its answer is longer than 64 KB"],
  ])("answers %s with %.40s: that is no broker", async (status, body, failed, headers) => {
    supervisor.answers(status, body, headers);
    expect(await answerOf()).toEqual({ failed });
  });

  test("refuses another token, which is in no message", async () => {
    const answer = await ask({ SUPERVISOR_TOKEN: "guessed", SUPERVISOR_URL: supervisor.url });
    expect(answer).toEqual({ failed: "it answers with status 401" });
    const odd = await ask({ SUPERVISOR_TOKEN: "guessed\n", SUPERVISOR_URL: supervisor.url });
    expect(odd).toEqual({ failed: expect.not.stringContaining("guessed") });
  });

  test("is given five seconds", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    onTestFinished(() => void vi.useRealTimers());
    supervisor.isSilent();
    let isOver = false;
    const answer = answerOf().finally(() => {
      isOver = true;
    });
    await vi.advanceTimersByTimeAsync(4_999);
    await settled();
    expect(isOver).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    expect(await answer).toEqual({ failed: "it does not answer" });
  });

  test("is not there", async () => {
    const failed = "nothing listens there (ECONNREFUSED)";
    expect(await ask({ SUPERVISOR_TOKEN: TOKEN, SUPERVISOR_URL: `http://${NOBODY}` })).toEqual({ failed });
    expect(await ask({})).toEqual({ failed: "it has given no SUPERVISOR_TOKEN" });
  });

  test("is asked no longer when vigie is stopped", async () => {
    supervisor.isSilent();
    const stop = new AbortController();
    const env = { SUPERVISOR_TOKEN: TOKEN, SUPERVISOR_URL: supervisor.url };
    const answer = ask(env, stop.signal);
    stop.abort(new Error("stopped"));
    expect(await answer).toEqual({ failed: "stopped" });
  });
});
