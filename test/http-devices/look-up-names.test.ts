import type { LookupAddress } from "node:dns";
import { expect, onTestFinished, test, vi } from "vitest";
import { createNameLookup } from "../../src/http-devices/look-up-names.ts";

const AT = (address: string): LookupAddress[] => [{ address, family: 4 }];

/** A system that looks up two names at a time, and takes for ever for those that begin with `dead`. */
function slowSystem() {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const asked: string[] = [];
  const waiting: (() => void)[] = [];
  let underWay = 0;
  let isDead = false;
  const ask = (host: string) =>
    new Promise<LookupAddress[]>((resolve, reject) => {
      const begin = () => {
        underWay += 1;
        asked.push(host);
        const isSlow = isDead || host.startsWith("dead");
        setTimeout(
          () => {
            underWay -= 1;
            if (isSlow) reject(Object.assign(new Error("No answer"), { code: "EAI_AGAIN" }));
            else resolve(AT("192.0.2.1"));
            waiting.shift()?.();
          },
          isSlow ? 20_000 : 5,
        );
      };
      if (underWay < 2) begin();
      else waiting.push(begin);
    });
  const lookUp = createNameLookup(ask);
  const found = new Map<string, string>();
  const want = (host: string) =>
    lookUp(host, {}, (error, address) => {
      found.set(host, error ? String(error.code) : String(address));
    });
  return { asked, found, want, die: () => (isDead = true) };
}

test("names that nobody answers for keep no other name from being found, once they are known to be slow", async () => {
  const { found, want } = slowSystem();
  for (const host of ["dead0", "dead1", "dead2"]) want(host);
  await vi.advanceTimersByTimeAsync(60_000);
  for (const host of ["dead0", "dead1", "dead2", "good"]) want(host);
  await vi.advanceTimersByTimeAsync(100);
  expect(found.get("good")).toBe("192.0.2.1");
});

test("a name that was found before is used as it was, within a second, if nobody answers any more", async () => {
  const { found, want, die } = slowSystem();
  want("good");
  await vi.advanceTimersByTimeAsync(100);
  die();
  found.clear();
  want("good");
  await vi.advanceTimersByTimeAsync(1_100);
  expect(found.get("good")).toBe("192.0.2.1");
});

test("one name is looked up once at a time", async () => {
  const { asked, found, want } = slowSystem();
  for (let times = 0; times < 5; times += 1) want("dead0");
  await vi.advanceTimersByTimeAsync(30_000);
  expect(asked).toEqual(["dead0"]);
  expect(found.get("dead0")).toBe("EAI_AGAIN");
});
