import { describe, expect, onTestFinished, test, vi } from "vitest";
import { LIMITS } from "../../src/http/server.ts";
import { ask, openStream, startServer } from "./running-server.ts";
import { viewWith } from "./view-with.ts";

const view = (number: number) => viewWith(new Map(), `test-${number}`);
const idsOf = (text: string) => [...text.matchAll(/^data: (.*)$/gm)].map(([, id]) => id);

describe("a stream of events", () => {
  test("carries the id of the newest view, at once and after each change", async () => {
    const { port, show } = await startServer();
    const stream = openStream(port);
    await stream.hears(/id: test-1\ndata: test-1\n\n/);
    show(view(2));
    expect(idsOf(await stream.hears(/data: test-2\n\n/))).toEqual(["test-1", "test-2"]);
    expect(stream.text()).toMatch(/^HTTP\/1.1 200 [\s\S]*Content-Type: text\/event-stream\r\n/);
    expect(stream.text()).toContain("Content-Security-Policy: default-src 'none'");
  });

  test("gives a browser that comes back what it has missed, and only that", async () => {
    const { port, show } = await startServer();
    show(view(2));
    const late = openStream(port, "Last-Event-ID: test-1\r\n");
    expect(idsOf(await late.hears(/data: .*\n\n/))).toEqual(["test-2"]);
    const current = openStream(port, "Last-Event-ID: test-2\r\n");
    await current.hears(/retry: 3000\n\n/);
    show(view(3));
    expect(idsOf(await current.hears(/data: .*\n\n/))).toEqual(["test-3"]);
  });

  test("has one event for the changes of one moment", async () => {
    const { port, show } = await startServer();
    const stream = openStream(port);
    await stream.hears(/data: test-1/);
    for (let number = 2; number < 100; number += 1) show(view(number));
    expect(idsOf(await stream.hears(/data: test-99\n/))).toEqual(["test-1", "test-99"]);
  });

  test("is one of 50 at most; one that is closed makes room", async () => {
    const { port } = await startServer();
    const streams = Array.from({ length: 50 }, () => openStream(port));
    await Promise.all(streams.map(({ hears }) => hears(/retry/)));
    expect(await ask(port, "/events")).toMatchObject({
      status: 503,
      headers: { "retry-after": "60" },
      body: expect.stringContaining("50 open pages"),
    });
    expect((await ask(port, "/alive")).status).toBe(200);
    streams[7]?.socket.destroy();
    await expect
      .poll(async () => {
        const next = openStream(port);
        return next.hears(/^HTTP\/1.1 (\d+)[\s\S]*(retry: |open pages)/).then((text) => text.slice(9, 12));
      })
      .toBe("200");
  });

  test("stays open for an hour, 50 at once, with the id again every 20 s", async () => {
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
    onTestFinished(() => void vi.useRealTimers());
    const { port, show } = await startServer();
    const streams = Array.from({ length: 50 }, () => openStream(port));
    await Promise.all(streams.map(({ hears }) => hears(/retry/)));
    for (let minute = 0; minute < 60; minute += 1) {
      vi.advanceTimersByTime(60_000);
      show(view(minute + 2));
      await streams[0]?.hears(new RegExp(`data: test-${minute + 2}\n`));
    }
    for (const { hears } of streams) {
      const text = await hears(/data: test-61\n\n/);
      expect(idsOf(text)).toHaveLength(61 + 180);
    }
  });

  test("is not cut off for want of anything to say: its heartbeats come before the limits of the server", async () => {
    const [heartbeat, silence, request] = [LIMITS.heartbeat, LIMITS.silence, LIMITS.request];
    const hundred = { heartbeat: heartbeat / 100, silence: silence / 100, request: request / 100 };
    const { port } = await startServer({ limits: hundred });
    const text = await openStream(port).hears(/(?:data: test-1\n[\s\S]*){11}/);
    expect(idsOf(text)).toHaveLength(11);
  });

  test("names a view in which only values are new with the next heartbeat, not each second", async () => {
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
    onTestFinished(() => void vi.useRealTimers());
    const { port, show } = await startServer();
    const stream = openStream(port);
    await stream.hears(/data: test-1\n/);
    for (let second = 0; second < 19; second += 1) show(view(2), "values only");
    vi.advanceTimersByTime(20_000);
    await stream.hears(/data: test-2\n/);
    show(view(3));
    expect(idsOf(await stream.hears(/data: test-3\n/))).toEqual(["test-1", "test-2", "test-3"]);
  });

  test("that nobody reads is closed before it fills the memory", async () => {
    const { port, show } = await startServer({ limits: { streams: 1 } });
    const sleeper = openStream(port);
    await sleeper.hears(/retry/);
    sleeper.socket.pause();
    const isOpen = async () => (await ask(port, "/events", { method: "HEAD" })).status === 503;
    const long = "x".repeat(100_000);
    let events = 0;
    // The system keeps some megabytes for a reader, vigie much less: 30 MB are never reached.
    for (; events < 300 && (await isOpen()); events += 1) show(viewWith(new Map(), `${long}-${events}`));
    expect(events).toBeLessThan(300);
    sleeper.socket.resume();
    await sleeper.closed;
  });

  test("is none with HEAD", async () => {
    const { port } = await startServer();
    expect(await ask(port, "/events", { method: "HEAD" })).toMatchObject({
      status: 200,
      body: "",
      headers: { "content-type": "text/event-stream" },
    });
  });
});
