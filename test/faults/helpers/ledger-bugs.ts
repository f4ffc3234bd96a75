import type { Ledger } from '../../../src/ledger/ledger.ts';
import type { OpenLedger } from '../../helpers/ledger-fixtures.ts';

/** Ledgers with one bug each. A bot on such a ledger would text people twice or too fast, or tell them a wrong end. */
export const BUGS: { [what: string]: (ledger: Ledger) => Ledger } = {
  'two decisions win': (ledger) => ({
    ...ledger,
    async decide(id, decision) {
      const decided = await ledger.decide(id, decision);
      if (decided.won || decided.why !== 'decided' || decided.send?.state !== 'running') return decided;
      return { won: true, send: decided.send };
    },
  }),
  'a request is sent on the word of whoever asked': (ledger) => ({
    ...ledger,
    decide: (id, { approval, ...decision }) =>
      ledger.decide(id, approval ? { ...decision, approval: { ...approval, isOwnAllowed: true } } : decision),
  }),
  'a request is sent on the word of nobody else': (ledger) => ({
    ...ledger,
    async decide(id, decision) {
      const isRequest = (await ledger.find(id))?.state === 'awaiting_approval';
      const isSent = isRequest && decision.to === 'running';
      return ledger.decide(id, isSent ? { ...decision, approval: { isOwnAllowed: true } } : decision);
    },
  }),
  'anybody may settle an attempt': (ledger) => ({
    ...ledger,
    async settle(ref, token, settlement) {
      const [chunk] = await ledger.chunks(ref.send, { from: ref.index, limit: 1 });
      return ledger.settle(ref, chunk?.token ?? token, settlement);
    },
  }),
  'an attempt past its time is made again': (ledger) => ({
    ...ledger,
    async recover() {
      for (const { id } of await ledger.openSends('i1')) {
        for (const { index, token = '', deadline = 0 } of await ledger.chunks(id, { state: 'sending' })) {
          if (deadline > ledger.now()) continue;
          await ledger.settle({ send: id, index }, token, { to: 'pending', request: 'answered', waitMs: 0 });
        }
      }
      return ledger.recover();
    },
  }),
  'permits know no limit': (ledger) => ({
    ...ledger,
    take: (request) => ledger.take({ ...request, rateLimitKey: request.token }),
  }),
  'a 429 to a balance read lays no key to rest': (ledger) => ({
    ...ledger,
    returnPermit: (rateLimitKey, token, request) =>
      ledger.returnPermit(rateLimitKey, token, typeof request === 'object' ? 'answered' : request),
  }),
  'a send is undone though it was taken': (ledger) => ({
    ...ledger,
    async undo(id, undo) {
      const undone = await ledger.undo(id, undo);
      const { won, send } = undone;
      return won || send?.state !== 'running' ? undone : { won: true, send };
    },
  }),
  'a late answer is lost': (ledger) => ({
    ...ledger,
    async settle(ref, token, settlement) {
      const [chunk] = await ledger.chunks(ref.send, { from: ref.index, limit: 1 });
      return chunk?.state === 'unknown' ? { settled: false } : ledger.settle(ref, token, settlement);
    },
  }),
};

/** The same engine with this bug, also after each restart. */
export function withBug(open: OpenLedger, bug: string): OpenLedger {
  const wrong = BUGS[bug];
  if (!wrong) throw new Error(`there is no bug "${bug}"`);
  return async (options) => {
    const rig = await open(options);
    return { ...rig, ledger: wrong(rig.ledger), reopen: async () => wrong(await rig.reopen()) };
  };
}
