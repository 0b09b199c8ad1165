import { beforeAll, describe, expect, it } from "vitest";
import { type Findings, runOnMachine, withoutMachine } from "./machine.ts";

describe.skipIf(withoutMachine)(`vigie as a service of systemd ${withoutMachine}`, () => {
  let found: Findings;
  beforeAll(async () => {
    found = await runOnMachine("service.sh");
  });
  const text = (name: string) => found(name).text;
  const succeeds = (name: string) => expect(found(name), name).toMatchObject({ code: 0 });
  const tenths = (name: string) => Number(text(name));

  describe("install.sh", () => {
    it.each([
      ["install as nobody", "only root can install a service: sudo sh /package/systemd/install.sh"],
      ["install of what was not built", "dist is missing: npm ci && npm run build makes it"],
      ["install with a wrong word", "what is --servce? expected --service ADDRESS"],
      [
        "install with an address that is none",
        "nothing was changed: the configuration has to be right first",
      ],
      ["install with a value that is missing", "--service needs a value"],
    ])("refuses an %s, and says what to do", (name, words) => {
      expect(found(name)).toEqual({ code: 1, text: expect.stringContaining(words) });
    });

    it("changes nothing where it refuses", () => expect(text("after installs that were refused")).toBe(""));

    it("without addresses starts nothing that would invent days, and says what to fill in", () => {
      succeeds("install without addresses");
      expect(text("install without addresses")).toMatch(
        /was not started: it would invent days[\s\S]*sudo nano \/etc\/vigie\/vigie.yaml/,
      );
      expect(text("after it: enabled")).toBe("disabled");
      expect(text("after it: active")).toBe("inactive");
    });

    it("with addresses fills them in, starts vigie, and says how it is and what to type next", () => {
      succeeds("install");
      expect(text("its configuration")).toBe(
        ['  base_url: "http://127.0.0.1:8787"', '  url: "mqtt://127.0.0.1:1883"', '  username: "vigie"'].join(
          "\n",
        ),
      );
      expect(text("install")).toMatch(/^vigie runs; broker reached[\s\S]*journalctl -fu vigie/);
    });

    it("with --official fills the official source in, and refuses one that is none", () => {
      const filled = 'official:\n  source: "http://127.0.0.1:8787"';
      expect(text("its official colours")).toBe(filled);
      succeeds("official source in use");
      expect(found("install again, with a source that is none")).toEqual({
        code: 1,
        text: expect.stringMatching(/official\.source: expected off, rte[\s\S]*nothing was changed/),
      });
      expect(text("its official colours after that")).toBe(filled);
    });
  });

  describe("the service", () => {
    it("is active as its own user, and its status says what vigie health says", () => {
      const unit = text("unit");
      expect(unit).toContain("ActiveState=active");
      expect(unit).toContain("NRestarts=0");
      expect(unit).toContain("User=vigie");
      expect(unit).toMatch(/^StatusText=vigie runs; broker reached at mqtt:\/\/127.0.0.1:1883; data fresh/m);
    });

    it("serves its views to this machine, locked in as it is", () => succeeds("page"));

    it("has its topics and its device on a broker that asks for the password", () => {
      succeeds("online");
      for (const topic of [
        "vigie/now/color rouge",
        // The simulator says rouge, and vigie refuses a forecast of rouge for a Saturday or a Sunday.
        "vigie/next/color ",
        "vigie/availability online",
        "homeassistant/device/vigie/config {",
      ])
        expect(text("topics")).toContain(`\n${topic}`);
    });

    it("is locked in: exposure at most 1.5, and nothing to complain of in its unit", () => {
      expect(
        Number(/exposure level for vigie.service: ([\d.]+)/.exec(text("security"))?.[1]),
      ).toBeLessThanOrEqual(1.5);
      expect(found("verify")).toEqual({ code: 0, text: "" });
    });
  });

  describe("vigie at the command line", () => {
    it.each(["health", "check", "show", "explain", "check --live"])(
      "%s finds what the service has",
      (command) => {
        succeeds(`root: vigie ${command}`);
      },
    );

    it("tells whoever asks how vigie is, and whether the configuration is right", () => {
      const withoutAge = (words: string) => words.replace(/\d+ s ago/, "");
      expect(withoutAge(text("nobody: vigie health"))).toBe(withoutAge(text("root: vigie health")));
      succeeds("nobody: vigie check");
    });

    it("keeps the password from who is not root, and says so", () => {
      expect(found("nobody: vigie show")).toEqual({
        code: 1,
        text: expect.stringContaining("sudo vigie show"),
      });
    });

    it("run by root leaves nothing of root's in the state, and gives way to the service", () => {
      expect(found("owners of the state")).toEqual({ code: 0, text: "" });
      expect(found("root: vigie once").code).toBe(3);
      succeeds("root: vigie once, with no vigie running");
      expect(found("owners of the state after it")).toEqual({ code: 0, text: "" });
    });
  });

  describe("the password", () => {
    it("is in its own file, in the service's credential, and in no other", () => {
      const places = [
        "/etc/vigie/mqtt_password",
        "/run/credentials/vigie.service/mqtt_password",
        "/tmp/secret",
      ];
      expect(text("files with the secret").split("\n").sort()).toEqual(places);
    });

    it.each(["journal", "unit", "command lines", "environment of vigie"])("is not in the %s", (place) => {
      expect(text(`${place} with the secret`)).toBe("0");
    });

    it.each(["password", "credential", "environment"])("cannot be read by others from the %s", (place) => {
      expect(found(`nobody reads the ${place}`)).toEqual({
        code: 1,
        text: expect.stringContaining("Permission denied"),
      });
    });
  });

  describe("the topics during a kill and an upgrade", () => {
    it("has vigie back after kill -9, within the pause of ten seconds and a start", () => {
      succeeds("back after kill -9");
      expect(tenths("back after kill -9")).toBeGreaterThanOrEqual(95);
      succeeds("online after kill -9");
    });

    it("has a change of the configuration in force without a restart, by itself or on reload", () => {
      succeeds("a change takes effect");
      succeeds("reload");
      succeeds("process after reload");
    });

    it("has another process after an upgrade, with the same state, configuration and topics", () => {
      for (const name of [
        "upgrade",
        "process after the upgrade",
        "state after the upgrade",
        "configuration after the upgrade",
      ])
        succeeds(name);
      expect(text("topics after the upgrade")).toBe("");
    });

    it("has the old vigie on where the new one would refuse the configuration", () => {
      expect(found("upgrade with a wrong configuration")).toEqual({
        code: 1,
        text: expect.stringMatching(/langage[\s\S]*did you mean language[\s\S]*nothing was changed/),
      });
      succeeds("process after that");
    });

    it("never sees vigie offline meanwhile", () => {
      expect(new Set(text("availability meanwhile").split("\n"))).toEqual(new Set(["online"]));
    });
  });

  describe("the watchdog", () => {
    it("does not restart a vigie that works", () =>
      expect(text("restarts by the watchdog of one that works")).toBe("0"));

    it("replaces one that is frozen, within its bound", () => {
      succeeds("back after SIGSTOP");
      expect(text("what systemd says of it")).toContain("Watchdog timeout (limit 6s)");
      expect(text("restarts by the watchdog")).toBe("1");
    });
  });

  describe("another vigie that takes the topics", () => {
    it("is asked again and again and not thrown off; the journal says it once, and the status of the service all the time", () => {
      succeeds("online before the other came");
      succeeds("asks the other again and again");
      expect(text("the other after that").split("\n").sort()).toEqual(["ActiveState=active", "NRestarts=0"]);
      succeeds("owner after that");
      succeeds("status after the other came");
      const said = /^vigie run: The base topic vigie has another owner: .+$/gm;
      expect(text("errors after the other came").match(said)).toHaveLength(1);
    });

    it("is followed by this one after mqtt.grace of silence, without a restart by the watchdog and without a command", () => {
      succeeds("waits for the other");
      expect(text("active while it waits")).toBe("active");
      succeeds("takes over");
      succeeds("online after the other left");
      expect(text("restarts of a vigie that waits")).toBe("1");
    });
  });

  describe("what is wrong at the start", () => {
    it("of a configuration is an error in the journal, by file and line, tried again until it is mended", () => {
      succeeds("tried again");
      expect(text("status of a wrong configuration")).toBe("status=2");
      expect(text("errors of a wrong configuration")).toMatch(
        /^\/etc\/vigie\/vigie.yaml:\d+:\d+ homeassistant.langage: expected a known option/m,
      );
      succeeds("active once mended");
    });

    it("of a password file that is missing keeps vigie from nothing but the broker", () => {
      succeeds("restart without a password file");
      succeeds("warned of the password");
      expect(text("active without a password file")).toBe("active");
      expect(found("health without the broker")).toEqual({
        code: 1,
        text: expect.stringMatching(/vigie runs; broker not reached[\s\S]*data fresh/),
      });
      succeeds("online with the password");
    });
  });

  it("takes no more memory of its own than the guide says", () => {
    expect(Number(/RssAnon:\s+(\d+) kB/.exec(text("memory"))?.[1])).toBeLessThan(60_000);
  });

  it("says each thing in the journal at its own priority", () => {
    expect(text("information")).toMatch(/^vigie \d+\.\d+\.\d+ starts/m);
    expect(text("information")).not.toMatch(/wrong|not authori|systemd-notify/);
    expect(text("warnings")).toMatch(/refuses the login \(not authorised\)/);
    expect(text("warnings")).not.toContain("systemd-notify");
    expect(text("errors")).toMatch(/^Configuration: \/etc\/vigie\/vigie.yaml:\d+:\d+ homeassistant.langage/m);
    expect(text("priorities")).toMatch(/^\s*\d+ 3\n\s*\d+ 4\n\s*\d+ 6$/);
  });

  describe("uninstall.sh", () => {
    it("--keep leaves what a vigie that comes back goes on from", () => {
      succeeds("uninstall --keep");
      expect(text("kept")).toMatch(/mqtt_password[\s\S]*vigie.yaml[\s\S]*state.json/);
      succeeds("install again, with official colours");
      succeeds("state of the one that came back");
    });

    it("takes away what --keep left, with the program gone", () => {
      succeeds("uninstall what was kept");
      expect(text("left of what was kept")).toBe("");
    });

    it("keeps an account of a person with the name vigie, and so does install.sh", () => {
      succeeds("a person called vigie");
      expect(text("a person called vigie")).toMatch(/there is an account vigie of a person/);
    });

    it("takes nothing but the service away while it cannot clear the broker, and says what to do", () => {
      expect(found("uninstall with the broker away")).toEqual({
        code: 1,
        text: expect.stringMatching(/nothing else was taken away[\s\S]*--leave-topics/),
      });
      succeeds("configuration after it");
    });

    it("leaves no file, no user, no unit and no topic", () => {
      succeeds("uninstall");
      expect(text("left behind")).toBe("");
      expect(text("left on the broker").replace("Timed out", "")).toBe("");
      expect(text("unit left")).toContain("could not be found");
    });

    it("says so where there is nothing to take away", () => {
      expect(found("uninstall where there is none")).toEqual({
        code: 0,
        text: "vigie is not installed here",
      });
    });
  });
});
