import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";

/** What the files that a container is made from must hold, where none can be built. */
const read = (name: string) => readFileSync(join(import.meta.dirname, "..", name), "utf8");

interface Service {
  environment: Record<string, string>;
  secrets: string[];
  restart: string;
  profiles?: string[];
  mem_limit: string;
  read_only: boolean;
  tmpfs: string[];
  cap_drop: string[];
  security_opt: string[];
  logging: { driver: string; options: Record<string, string> };
  volumes: string[];
}

interface Compose {
  services: Record<"vigie" | "mosquitto", Service>;
  volumes: object;
  secrets: object;
}

describe("compose.yaml", () => {
  const text = read("compose.yaml");
  const compose: Compose = parse(text);
  const { vigie, mosquitto } = compose.services;

  test("starts vigie alone unless its broker is asked for", () => {
    expect(Object.keys(compose.services)).toEqual(["vigie", "mosquitto"]);
    expect(vigie.profiles).toBeUndefined();
    expect(mosquitto.profiles).toEqual(["broker"]);
  });

  test.each(Object.entries(compose.services))("gives %s no more than it needs", (_, service) => {
    expect(service).toMatchObject({
      read_only: true,
      tmpfs: ["/tmp"],
      cap_drop: ["ALL"],
      security_opt: ["no-new-privileges:true"],
      mem_limit: expect.stringMatching(/^\d+m$/),
      restart: "unless-stopped",
      logging: { driver: "json-file", options: { "max-size": "1m", "max-file": "3" } },
    });
  });

  test("needs an address, and keeps the state and the secret where the image looks for them", () => {
    expect(vigie.environment["VIGIE_SERVICE_BASE_URL"]).toMatch(/^\$\{VIGIE_SERVICE_BASE_URL:\?/);
    // Empty where .env does not set it: then the option has its default.
    expect(vigie.environment["VIGIE_OFFICIAL_SOURCE"]).toMatch(/^\$\{VIGIE_OFFICIAL_SOURCE:-\}$/);
    expect(vigie.environment["VIGIE_MQTT_PASSWORD_FILE"]).toBe("/run/secrets/mqtt");
    expect(vigie.volumes).toEqual(["state:/data"]);
    expect(compose.secrets).toEqual({ mqtt: { file: "./mqtt-password" } });
    expect([vigie.secrets, mosquitto.secrets]).toEqual([["mqtt"], ["mqtt"]]);
    expect(Object.keys(compose.volumes)).toEqual(["state", "broker"]);
  });

  test("lets only this machine reach the broker until its owner decides otherwise", () => {
    expect(mosquitto).toMatchObject({ ports: ["127.0.0.1:1883:1883"] });
  });

  test("publishes no port of vigie until somebody removes the # before it; then that of the page", () => {
    expect(vigie).not.toHaveProperty("ports");
    const opened: Compose = parse(text.replace("# ports:", "ports:"));
    expect(opened.services.vigie).toMatchObject({ ports: ["8427:8427"] });
  });

  test("holds no password, and none gets into git or into the image", () => {
    expect(text).not.toMatch(/PASSWORD: /);
    expect(read(".gitignore").split("\n")).toEqual(
      expect.arrayContaining([".env", "mqtt-password", "/state/"]),
    );
  });
});

describe("the guide for a NAS", () => {
  const guide = read("docs/docker-nas.md");

  test("shows the service of compose.yaml, but for what an editor without a folder cannot take", () => {
    const [, text = ""] = /```yaml\n([\s\S]*?)```/.exec(guide) ?? [];
    const shown: Compose["services"]["vigie"] = parse(text).services.vigie;
    const { build: _, secrets, environment, volumes, ...kept } = parse(read("compose.yaml")).services.vigie;
    const { environment: variables, volumes: folders, ...rest } = shown;
    expect(rest).toEqual(kept);
    expect(Object.keys(variables)).toEqual(Object.keys(environment));
    expect(folders).toEqual([
      ...volumes,
      `/share/Container/vigie/mqtt-password:/run/secrets/${secrets[0]}:ro`,
    ]);
  });

  test("and README start it with what compose.yaml gives it", () => {
    for (const flag of ["--read-only", "--tmpfs /tmp", "--restart unless-stopped", ":/data"]) {
      expect(guide).toContain(flag);
      expect(read("README.md")).toContain(flag);
    }
    for (const flag of ["--cap-drop ALL", "--security-opt no-new-privileges:true", "--memory 192m"]) {
      expect(guide).toContain(flag);
    }
  });
});

describe(".dockerignore", () => {
  const lines = read(".dockerignore")
    .split("\n")
    .filter((line) => line !== "" && !line.startsWith("#"));

  test("holds out everything but what the image is built from", () => {
    expect(lines[0]).toBe("*");
    const copied = [...read("Dockerfile").matchAll(/^COPY (?!--from)(.*) \S+$/gm)].flatMap(([, words = ""]) =>
      words.split(" "),
    );
    const taken = lines.slice(1).filter((line) => line.startsWith("!"));
    expect(taken.sort()).toEqual(copied.map((name) => `!${name}`).sort());
  });

  test("holds out the password that vigie setup writes, as git and the package do", () => {
    const secrets = ["config/mqtt_password*", "config/vigie.yaml.old*"];
    expect(lines.filter((line, index) => index > 0 && !line.startsWith("!"))).toEqual(secrets);
    expect(read(".gitignore").split("\n")).toEqual(expect.arrayContaining(secrets));
    expect(JSON.parse(read("package.json")).files).toEqual(
      expect.arrayContaining(secrets.map((name) => `!${name}`)),
    );
  });
});

describe("the Dockerfile", () => {
  const instructions = read("Dockerfile").replaceAll("\\\n", " ").split("\n");
  const last = instructions.slice(instructions.findLastIndex((line) => line.startsWith("FROM ")));

  test("builds on the Debian kind of Node's image, of a Node that the package takes", () => {
    const bases = instructions.filter((line) => line.startsWith("FROM "));
    expect(new Set(bases.map((line) => line.split(" ")[1])).size).toBe(1);
    expect(bases[0]).toMatch(/^FROM node:(20|22|24|26)-(bookworm|trixie)-slim AS build$/);
  });

  test("runs nothing on the kind of machine that the image is for, and copies nothing made for another", () => {
    expect(last.filter((line) => line.startsWith("RUN "))).toEqual([]);
    expect(read("Dockerfile")).not.toMatch(/^(COPY|ADD) .*node_modules/m);
  });

  test("ends as another than root, with a program that gets its signals and a question for its health", () => {
    expect(last).toEqual(expect.arrayContaining(["USER node", "VOLUME /data"]));
    expect(last.find((line) => line.startsWith("ENTRYPOINT "))).toMatch(
      /^ENTRYPOINT \["node", .*main\.js"\]$/,
    );
    expect(last).toContain("EXPOSE 8427");
    expect(last.find((line) => line.startsWith("ENV "))).toContain(" VIGIE_HTTP_LISTEN=0.0.0.0:8427");
    expect(last.find((line) => line.startsWith("HEALTHCHECK "))).toMatch(
      /CMD \["node", .*main\.js", "health"\]$/,
    );
  });
});
