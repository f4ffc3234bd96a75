import { ACTIONS, COMMAND, SHORTCUTS, VIEWS } from '../../../src/slack/ui/ids.ts';
import type { Dice } from '../../helpers/dice.ts';

/** The person of the twisted requests: no admin, in a linked channel. */
export interface Victim {
  team: string;
  user: string;
  channel: string;
  /** The address for answers. No request may make this machine call any other address. */
  responseUrl: string;
}

const NONSENSE = 'nonsense';
const HUGE = 200_000;
/** A mark for lists within lists, deeper than a stack. */
const DEEP = `${NONSENSE}-deep`;
const DEEP_TEXT = `${'['.repeat(50_000)}${']'.repeat(50_000)}`;
const WORDS = ['send', 'balance', 'bulk', 'link', 'unlink', 'settings', 'status', 'help', '', NONSENSE];

/** A random choice. */
export function pick<T>(dice: Dice, choices: readonly T[]): T {
  return choices[Math.floor(dice() * choices.length)] as T;
}

/** A body that Slack would sign, and that makes no sense, in one place or everywhere. */
export function nonsenseBody(dice: Dice, victim: Victim): { body: string; isForm: boolean } {
  if (dice() < 0.2) return { body: asText({ [NONSENSE]: junk(dice) }), isForm: false };
  if (dice() < 0.3) {
    const twisted = twist(dice, command(dice, victim));
    const fields = new URLSearchParams();
    for (const [name, value] of Object.entries(twisted)) fields.append(name, asText(value));
    return { body: fields.toString(), isForm: true };
  }
  const make = pick(dice, [click, submission, event, options, shortcut]);
  const payload = asText(dice() < 0.1 ? junk(dice) : twist(dice, make(dice, victim)));
  return make === event
    ? { body: payload, isForm: false }
    : { body: new URLSearchParams({ payload }).toString(), isForm: true };
}

function asText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value).replaceAll(`"${DEEP}"`, DEEP_TEXT);
}

/** A value of an unexpected kind. */
function junk(dice: Dice): unknown {
  const rare = dice() < 0.02;
  return pick(dice, [
    null,
    0,
    -1e308,
    true,
    '',
    [],
    {},
    [null, [[]]],
    `${NONSENSE}\u0000\ud800`,
    `${NONSENSE}'; DROP TABLE sends; --`,
    `../../${NONSENSE}`,
    { [NONSENSE]: NONSENSE, length: -1, toString: null, toJSON: NONSENSE },
    JSON.parse(`{"__proto__": {"isAdmin": true}, "constructor": {"prototype": "${NONSENSE}"}}`) as object,
    rare ? `${NONSENSE}${'x'.repeat(HUGE)}` : NONSENSE,
    rare ? Array.from({ length: HUGE / 10 }, () => NONSENSE) : [NONSENSE],
    rare ? DEEP : { id: NONSENSE },
  ]);
}

/** A copy with junk in some places, or without them. */
function twist(dice: Dice, value: object): object {
  const twisted: Record<string, unknown> = { ...value };
  const places = Object.keys(value);
  for (let times = 1 + Math.floor(dice() * 3); times > 0; times -= 1) {
    const place = pick(dice, places);
    const inside = twisted[place];
    const [first] = Array.isArray(inside) ? (inside as unknown[]) : [];
    if (dice() < 0.15) delete twisted[place];
    else if (isRecord(first) && dice() < 0.6) twisted[place] = [twist(dice, first)];
    else twisted[place] = isRecord(inside) && dice() < 0.6 ? twist(dice, inside) : junk(dice);
  }
  return twisted;
}

function isRecord(value: unknown): value is object {
  return (
    typeof value === 'object' && value !== null && !Array.isArray(value) && Object.keys(value).length > 0
  );
}

function base(dice: Dice, { team, user, channel, responseUrl }: Victim) {
  return {
    team: { id: team, domain: NONSENSE },
    user: { id: user, name: NONSENSE, team_id: team },
    channel: { id: channel, name: NONSENSE },
    api_app_id: NONSENSE,
    trigger_id: `${NONSENSE}.${dice()}`,
    response_url: responseUrl,
    is_enterprise_install: false,
  };
}

function command(dice: Dice, { team, user, channel, responseUrl }: Victim): object {
  return {
    team_id: team,
    user_id: user,
    channel_id: channel,
    channel_name: NONSENSE,
    command: pick(dice, [COMMAND, COMMAND, COMMAND, `/${NONSENSE}`]),
    text: `${pick(dice, WORDS)} ${NONSENSE}`,
    response_url: responseUrl,
    trigger_id: `${NONSENSE}.${dice()}`,
  };
}

function click(dice: Dice, victim: Victim): object {
  const action = {
    type: 'button',
    action_id: pick(dice, [...Object.values(ACTIONS), NONSENSE]),
    block_id: NONSENSE,
    value: NONSENSE,
  };
  const container = { type: 'message', message_ts: '1.1', channel_id: victim.channel };
  return { type: 'block_actions', ...base(dice, victim), container, actions: [action] };
}

function submission(dice: Dice, victim: Victim): object {
  const field = { type: 'plain_text_input', value: NONSENSE };
  const view = {
    id: NONSENSE,
    type: 'modal',
    callback_id: pick(dice, [...Object.values(VIEWS), NONSENSE]),
    private_metadata: pick(dice, [NONSENSE, '{}', JSON.stringify({ channel: victim.channel })]),
    hash: NONSENSE,
    blocks: [],
    state: { values: { recipient: { recipient: field }, message: { message: field } } },
  };
  const type = pick(dice, ['view_submission', 'view_submission', 'view_closed']);
  return { type, ...base(dice, victim), view };
}

function event(dice: Dice, { team, user, channel }: Victim): object {
  const type = pick(dice, ['message', 'app_home_opened', 'app_mention', NONSENSE]);
  return {
    type: 'event_callback',
    team_id: team,
    event: { type, user, channel, text: NONSENSE, item: { channel } },
    event_id: `${NONSENSE}${dice()}`,
    event_time: 1,
    authorizations: [{ team_id: team, user_id: user, is_bot: true }],
  };
}

function options(dice: Dice, victim: Victim): object {
  return {
    type: 'block_suggestion',
    ...base(dice, victim),
    action_id: NONSENSE,
    block_id: NONSENSE,
    value: NONSENSE,
  };
}

function shortcut(dice: Dice, victim: Victim): object {
  const type = pick(dice, ['shortcut', 'message_action']);
  const callback_id = pick(dice, [...Object.values(SHORTCUTS), NONSENSE]);
  const message = { text: NONSENSE, ts: '1.1', files: [{ id: NONSENSE, name: `${NONSENSE}.csv` }] };
  return { type, ...base(dice, victim), callback_id, message };
}
