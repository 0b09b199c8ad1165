import { fetch } from "undici";
import { type Api, openApi } from "./api.ts";

/** Makes the owner of a new Home Assistant and returns a token. The other steps would look for the internet. */
export async function becomeOwner(base: string): Promise<string> {
  const client_id = `${base}/`;
  const owner = { client_id, name: "Owner", username: "owner", password: "a-house-of-tests", language: "en" };
  const created = await fetch(`${base}/api/onboarding/users`, {
    method: "POST",
    body: JSON.stringify(owner),
  });
  const { auth_code } = (await created.json()) as { auth_code: string };
  const form = new URLSearchParams({ grant_type: "authorization_code", code: auth_code, client_id });
  const granted = await fetch(`${base}/auth/token`, { method: "POST", body: form });
  const { access_token } = (await granted.json()) as { access_token: string };
  const api = await openApi(base, access_token);
  // The one above ends after 30 minutes.
  const token = await api.ask("auth/long_lived_access_token", { client_name: "tests", lifespan: 1 });
  api.close();
  return String(token);
}

export async function joinBroker(api: Api, port: number, user: object = {}): Promise<void> {
  const broker = {
    broker: "127.0.0.1",
    port,
    ...user,
    other_settings: { set_client_cert: false, set_ca_cert: "off" },
  };
  await runFlow(api, "mqtt", broker);
}

/** A config flow of one form; returns the id of its entry. */
export async function runFlow(api: Pick<Api, "post">, handler: string, form: object): Promise<string> {
  const { flow_id } = (await api.post(FLOWS, { handler })) as { flow_id: string };
  const done = (await api.post(`${FLOWS}/${flow_id}`, form)) as {
    type: string;
    result?: { entry_id: string };
  };
  if (done.type !== "create_entry" || !done.result) throw new Error(`${handler}: ${JSON.stringify(done)}`);
  return done.result.entry_id;
}

const FLOWS = "/api/config/config_entries/flow";
