import { expect } from 'vitest';
import type { RedisClient } from '../../src/store/redis/connect.ts';

type Fields = { [field: string]: string };
type Lists = { [key: string]: { [member: string]: number } };

/**
 * Holds every list, set and count that the engine keeps beside its sends, chunks and rows against what those say
 * themselves: a step that forgets one would lose work that nobody looks for.
 */
export async function expectIndexesRight(client: RedisClient, prefix: string): Promise<void> {
  const { hashes, lists } = await dump(client, prefix);
  const wanted: Lists = {};
  const put = (key: string, member: string, score: string | number | undefined = 0) => {
    wanted[key] = { ...wanted[key], [member]: Number(score) };
  };
  const sends = under(hashes, 'send:');
  for (const [id, send] of Object.entries(sends)) putSend(put, id, send);
  const counts: { [id: string]: { [field: string]: number } } = {};
  for (const [address, chunk] of Object.entries(under(hashes, 'chunk:'))) {
    const [, id = '', index = ''] = /^(.*):(\d+)$/.exec(address) ?? [];
    const send = sends[id] as Fields;
    counts[id] ??= {};
    count(counts[id], chunk);
    putChunk(put, { id, index, send, chunk });
  }
  for (const [id, row] of Object.entries(under(hashes, 'row:'))) {
    if (row.state === 'due') put(Number(row.attempts) > 0 ? 'due:again' : 'due:new', id, row.dueAt);
    if (row.state === 'posting') put('posters', row.token as string);
  }
  // Rows that are being posted stand by a deadline that is nowhere else.
  const { posting = {}, ...others } = lists;
  const isPosting = Object.entries(under(hashes, 'row:')).filter(([, row]) => row.state === 'posting');
  expect(Object.keys(posting).sort()).toEqual(isPosting.map(([id]) => id).sort());
  expect(others).toEqual(wanted);
  for (const [id, send] of Object.entries(sends)) expect(countsOf(send)).toEqual(counts[id] ?? {});
}

type Put = (key: string, member: string, score?: string | number) => void;

function putSend(put: Put, id: string, send: Fields): void {
  if (send.state === 'draft') {
    put('drafts', id, send.expiresAt);
    put(`drafts-of:${send.team}/${send.place}`, id);
  }
  if (send.state === 'expired' && send.keeps !== undefined) {
    put('expired', id, Math.min(Number(send.endedAt), Number(send.expiresAt)));
  }
  if (send.state === 'running' || send.state === 'paused') put(`open:${send.instance}`, id);
}

function putChunk(
  put: Put,
  { id, index, send, chunk }: { id: string; index: string; send: Fields; chunk: Fields },
): void {
  const ref = `${index} ${id}`;
  const padded = index.padStart(9, '0');
  if (chunk.state === 'pending') {
    put(`pending:${id}`, padded, chunk.notBefore);
    if (chunk.staleAt) put('stale', ref, chunk.staleAt);
    if (send.state === 'running') {
      put(`work:${send.kind}:${send.instance}`, id, send.kind === 'single' ? send.decidedAt : send.servedAt);
      put(`instances:${send.kind}`, send.instance as string);
    }
  }
  if (chunk.state === 'sending') {
    put(`sending:${id}`, padded, chunk.deadline);
    put('sending', ref, chunk.deadline);
    put(`sending-of:${chunk.account}`, ref);
    put('attempts', chunk.token as string);
    put(`open:${send.instance}`, id);
  }
  if (chunk.state === 'unknown') {
    put('unknown', ref, chunk.settledAt);
    put(`unknown-of:${chunk.account}`, ref, chunk.deadline);
    if (chunk.evidence === undefined) {
      put(`unjudged:${chunk.account}`, ref, chunk.settledAt);
      put('unjudged', chunk.account as string);
    }
  }
  const sent = chunk.state === 'sent' ? chunk.size : 0;
  if (chunk.creditsUsed !== undefined || chunk.state === 'sent') {
    const member = `${chunk.creditsUsed ?? 0} ${sent} ${ref}`;
    put(`spent:${send.team}/${send.place}`, member, chunk.settledAt);
  }
}

function count(counts: { [field: string]: number }, chunk: Fields): void {
  const add = (field: string, amount: number) => {
    if (amount !== 0) counts[field] = (counts[field] ?? 0) + amount;
  };
  add('chunks', 1);
  add(`chunks.${chunk.state}`, 1);
  add(`messages.${chunk.state}`, Number(chunk.size));
  if (chunk.otherStatus !== undefined) add(`other.${chunk.otherStatus}`, Number(chunk.size));
  add('creditsUsed', Number(chunk.creditsUsed ?? 0));
}

function countsOf(send: Fields): { [field: string]: number } {
  const counts = Object.entries(send).filter(
    ([field, value]) => /^(chunks|messages\.|other\.|creditsUsed)/.test(field) && value !== '0',
  );
  return Object.fromEntries(counts.map(([field, value]) => [field, Number(value)]));
}

function under(hashes: { [key: string]: Fields }, start: string): { [id: string]: Fields } {
  return Object.fromEntries(
    Object.entries(hashes).flatMap(([key, fields]) =>
      key.startsWith(start) ? [[key.slice(start.length), fields]] : [],
    ),
  );
}

/** Everything under a prefix: hashes of records, and lists with their scores (sets and token tables score 0). */
async function dump(
  client: RedisClient,
  prefix: string,
): Promise<{ hashes: { [key: string]: Fields }; lists: Lists }> {
  const hashes: { [key: string]: Fields } = {};
  const lists: Lists = {};
  const keys = (await client.sendCommand(['KEYS', `${prefix}*`])) as string[];
  for (const key of keys) {
    const name = key.slice(prefix.length);
    // Permits and rests are checked by what they allow; these hold one value each, or live by themselves.
    if (/^(epoch|format|seen:|lane:|rests|permits|account:|episode:)/.test(name)) continue;
    const type = String(await client.sendCommand(['TYPE', key]));
    const isTable = name === 'attempts' || name === 'posters';
    if (type === 'set') {
      const members = (await client.sendCommand(['SMEMBERS', key])) as string[];
      lists[name] = Object.fromEntries(members.map((member) => [member, 0]));
    } else {
      const command = type === 'zset' ? ['ZRANGE', key, '0', '-1', 'WITHSCORES'] : ['HGETALL', key];
      const pairs = pairsOf((await client.sendCommand(command)) as string[]);
      if (type === 'hash' && !isTable) hashes[name] = Object.fromEntries(pairs);
      else
        lists[name] = Object.fromEntries(
          pairs.map(([member, score]) => [member, isTable ? 0 : Number(score)]),
        );
    }
  }
  return { hashes, lists };
}

function pairsOf(flat: string[]): [string, string][] {
  return flat.flatMap((name, i) => (i % 2 === 0 ? [[name, flat[i + 1] as string] as [string, string]] : []));
}
