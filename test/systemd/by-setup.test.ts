import { beforeAll, describe, expect, it } from "vitest";
import { type Findings, runOnMachine, withoutMachine } from "./machine.ts";

describe.skipIf(withoutMachine)(`a service that vigie setup configures ${withoutMachine}`, () => {
  let found: Findings;
  beforeAll(async () => {
    found = await runOnMachine("by-setup.sh");
  });
  /** What the journal complains of. vigie's own prices are old some months after the newest ones were written. */
  const complaints = (name: string) =>
    found(name)
      .text.split("\n")
      .filter((line) => line !== "" && !line.startsWith("The newest prices"));
  const succeeds = (name: string) => expect(found(name), name).toMatchObject({ code: 0 });

  it("is offered the set-up when it is installed", () => {
    expect(found("install").text).toContain("sudo vigie setup");
  });

  it("is configured by root only, who is told so", () => {
    expect(found("set-up by nobody")).toMatchObject({
      code: 1,
      text: expect.stringContaining("sudo vigie setup"),
    });
  });

  it("gets its password from systemd, and runs as it was set up", () => {
    succeeds("set-up");
    expect(found("set-up").text).toMatch(
      /le broker et RTE répondent, 1 appareil[\s\S]*sudo systemctl enable --now vigie/,
    );
    expect(found("its files").text).toMatch(/^-rw------- root mqtt_password$/m);
    expect(found("its files").text).toMatch(/^-rw-r--r-- root vigie\.yaml$/m);
    expect(found("password in the configuration").text).toBe("0");
    for (const name of ["online", "output", "health"]) succeeds(name);
    expect(complaints("errors")).toEqual([]);
  });

  it("takes what was set up in the folder that it is installed from", () => {
    succeeds("uninstall");
    succeeds("set-up in a folder");
    expect(found("its password in the folder").text).toBe("  password_file: /tmp/secret");
    succeeds("install from the folder");
    expect(found("files after it").text).toMatch(/^-rw------- root mqtt_password$/m);
    expect(found("password in the configuration after it").text).toBe("0");
    expect(found("files after it").text).toMatch(/^-rw-r----- root phone_secret$/m);
    expect(found("the message after it").text).toBe("    secret_file: /etc/vigie/phone_secret");
    expect(found("its topic for the service").text).toBe("house-Jt5vYqx2");
    succeeds("online after it");
    expect(complaints("errors after it")).toEqual([]);
  });
});
