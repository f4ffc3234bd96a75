/** Slack's refusal of a call: `{ok: false, error}`. `messages` go into `response_metadata`. */
export class Refusal extends Error {
  readonly code: string;
  readonly messages: readonly string[];

  constructor(code: string, messages: readonly string[] = []) {
    super(`Slack refuses: ${[code, ...messages].join(' ')}`);
    this.name = 'Refusal';
    this.code = code;
    this.messages = messages;
  }
}
