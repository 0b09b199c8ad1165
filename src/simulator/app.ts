import { createHash } from "node:crypto";
import type { HttpBindings } from "@hono/node-server";
import { type Context, Hono } from "hono";
import type { Instant } from "../core/calendar/tariff.ts";
import { type Endpoint, endpoints } from "../core/contract/endpoints.ts";
import { updatedAt } from "./answers.ts";
import { controlFaults } from "./control.ts";
import { damage } from "./damage.ts";
import { randomFrom } from "./random.ts";
import { rateLimit } from "./rate-limit.ts";
import { Refusal } from "./refusal.ts";
import { jsonReply, type Reply } from "./reply.ts";
import { routes } from "./routes.ts";
import { isDisturbed, send, type Transport } from "./transport.ts";
import type { World } from "./world.ts";

interface Simulation extends Transport {
  world: Omit<World, "revised">;
  clock: { now(): Instant };
  /** Whether answers carry a `Date` header: the system's time, which a clock of its own is not. */
  sendDate: boolean;
}

type Asked = Context<{ Bindings: HttpBindings }>;

/** The service as a hono application: the contract's endpoints, and `/_faults` beside them. */
export function simulatorApp(simulation: Simulation): Hono<{ Bindings: HttpBindings }> {
  const app = new Hono<{ Bindings: HttpBindings }>();
  const allow = rateLimit(PER_MINUTE);
  let turn = 0;
  const serve = (reply: (c: Asked, at: Instant, turn: number) => Reply) => (c: Asked) => {
    const at = simulation.clock.now();
    const { url } = c.req;
    const sending = { url, at, turn: turn++, line: c.env };
    const client = c.env.incoming.socket.remoteAddress ?? "";
    const said = allow(client, at) ? reply(c, at, sending.turn) : TOO_MANY;
    return send(said, sending, simulation);
  };

  app.use((c, next) => {
    c.env.outgoing.sendDate = simulation.sendDate;
    return next();
  });
  controlFaults(app, simulation.faults);
  for (const endpoint of ENDPOINTS) {
    const path = endpoints[endpoint].path.replace(/\{(\w+)\}/, ":$1");
    app.get(
      path,
      serve((c, at, turn) => answer(endpoint, c, { at, turn, simulation })),
    );
  }
  app.notFound(serve(() => jsonReply(404, { detail: "Not Found" })));
  return app;
}

const PER_MINUTE = 60;
const TOO_MANY = jsonReply(429, { detail: `Expected at most ${PER_MINUTE} requests a minute` });

/** In the contract's order: `{target_date}` matches whatever the others do not. */
const ENDPOINTS = Object.keys(endpoints) as Endpoint[];

interface Moment {
  at: Instant;
  turn: number;
  simulation: Simulation;
}

function answer(endpoint: Endpoint, c: Asked, { at, turn, simulation }: Moment): Reply {
  const { faults } = simulation;
  const world = { ...simulation.world, revised: faults.has("revised") };
  const ask = {
    target: c.req.param("target_date") ?? "",
    query: c.req.query(),
    at,
    world,
    active: faults.has,
  };
  try {
    const random = randomFrom(`damage/${world.seed}/${turn}`);
    const reply = jsonReply(200, damage(routes[endpoint](ask), faults.has, random));
    return isDisturbed(simulation) ? reply : conditional(reply, c, updatedAt(at, world));
  } catch (error) {
    if (error instanceof Refusal) return jsonReply(error.status, { detail: error.detail });
    throw error;
  }
}

function conditional(reply: Reply, c: Asked, modified: Instant): Reply {
  const etag = `"${createHash("sha1").update(reply.body).digest("base64url")}"`;
  const caching = { etag, "last-modified": new Date(modified).toUTCString() };
  const held = (c.req.header("if-none-match") ?? "").split(",").map((tag) => tag.trim().replace(/^W\//, ""));
  if (held.includes(etag)) return { status: 304, headers: caching, body: "" };
  return { ...reply, headers: { ...reply.headers, ...caching } };
}
