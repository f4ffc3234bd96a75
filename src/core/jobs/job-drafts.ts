import type { Ledger } from '../../ledger/ledger.ts';
import { defined } from '../../ledger/model/defined.ts';
import type { Json } from '../../ledger/model/json.ts';
import type { LedgerLimits } from '../../ledger/model/ledger-limits.ts';
import type { Credit } from '../accounts/credit.ts';
import { countryOf, type Links } from '../accounts/links.ts';
import type { Person } from '../accounts/permissions.ts';
import type { Budgets } from '../budgets/budgets.ts';
import type { ListChecker } from '../lists/checker.ts';
import type { ListInput, NotSendable } from '../lists/list.ts';
import type { OptOuts } from '../opt-outs/opt-outs.ts';
import { atPriceOfNow } from '../sends/own-draft.ts';
import type { PriceBook } from '../sends/prices.ts';
import type { WordsOf } from '../sends/same-words.ts';
import { type JobPreview, previewOf, segmentsOfJob, withRepeats } from './job-preview.ts';
import type { JobReads } from './job-reads.ts';
import { channelForDraft, type JobRefusal, tooLong } from './job-rights.ts';
import { draftResend } from './resend-job.ts';
import { draftWithPreview } from './write-draft.ts';

/** A list that a person wants to text from a channel. */
export interface JobDraftInput extends Pick<ListInput, 'source' | 'template' | 'phoneColumn' | 'words'> {
  channel: string;
  person: Person;
  /** Slack's id of the file, so that Edit finds it again. */
  fileId?: string;
  /** The draft that the person has edited. */
  replaces?: string | undefined;
  reply: Json;
  onProgress?(rows: number): void;
}

/** The result of checking a list. `wrongCsv`: a file of all wrong rows, for the person. */
type JobDrafted = { kind: 'draft'; preview: JobPreview; wrongCsv?: Uint8Array } | NotSendable | JobRefusal;

/** The limits of lists and of their texts, from the configuration. */
export interface BulkLimits {
  /** Messages in a request, 1 to 100 ("Limits"). */
  chunkSize: number;
  /** Longest text in characters; the interface document leaves it open for bulk. */
  mostCharacters: number;
  /** A shorter list goes one text a request: each recipient gets an answer of their own. */
  minRecipients: number;
}

export interface JobDraftDeps {
  ledger: Ledger;
  links: Pick<Links, 'find'>;
  credit: Credit;
  budgets: Pick<Budgets, 'of'>;
  prices: Pick<PriceBook, 'estimate' | 'mostCredits'>;
  optOuts: Pick<OptOuts, 'count' | 'leaveOut' | 'whichAreOut'>;
  checker: ListChecker;
  wordsOf: WordsOf;
  /** For how long the same words to the same number count as a repeat; 0: never. */
  repeatGuardMs: number;
  /** What {optout} in the words of a list becomes. */
  optOutTextOf(team: string): Promise<string | undefined>;
  reads: Pick<JobReads, 'view' | 'mustView'>;
  limits: LedgerLimits;
  bulk: BulkLimits;
  draftTtlMs: number;
}

/** Drafts of jobs: checked lists with their previews. */
export function createJobDrafts(deps: JobDraftDeps) {
  const { links, optOuts, reads } = deps;
  const { chunkSize, mostCharacters, minRecipients } = deps.bulk;

  return {
    /** Checks the list and writes the draft with its chunks: we send what the preview shows. */
    async draft(input: JobDraftInput): Promise<JobDrafted> {
      const { channel, person, source, fileId, template, phoneColumn, words, reply, onProgress } = input;
      const found = await channelForDraft(deps, channel, person);
      if (found.kind !== 'linked') return found;
      const { linked } = found;
      const country = countryOf(linked.link);
      const optOutText = await deps.optOutTextOf(person.team);
      const hasOptOuts = (await optOuts.count(person.team)) > 0;
      const optional = defined({ country, phoneColumn, optOutText });
      const list = { source, template, mostCharacters, chunkSize, words, ...optional };
      const leaveOut = (phones: string[]) => optOuts.whichAreOut(person.team, phones);
      const checked = await deps.checker.check(hasOptOuts ? { ...list, leaveOut } : list, onProgress);
      if (checked.kind === 'nothing' && checked.leftOut > 0) {
        return { kind: 'all_opted_out', messages: checked.leftOut };
      }
      if (checked.kind !== 'list') return checked;
      try {
        const { summary, leftOut: optedOut, wrongCsv } = checked;
        const refusal = tooLong(linked.link, summary.toSend);
        if (refusal) return refusal;
        const drafted = await draftWithPreview(deps, linked, {
          person,
          reply,
          summary,
          given: {
            template,
            ...(source.kind === 'pasted' && { recipients: source.text }),
            ...(source.kind === 'file' && fileId && { file: { id: fileId, name: source.name } }),
            ...defined({ phoneColumn, country }),
          },
          chunks: checked.chunks(),
          optedOut,
          oneByOne: summary.toSend < minRecipients,
          replaces: input.replaces,
        });
        return drafted.kind === 'draft' ? { ...drafted, ...defined({ wrongCsv }) } : drafted;
      } finally {
        await checked.close();
      }
    },

    draftResend: draftResend.bind(null, deps),

    /** The preview as of now; with `include`, repeats count too. Undefined if the draft or its link is gone. */
    async preview(id: string, include = false): Promise<JobPreview | undefined> {
      const view = await reads.view(id);
      const linked = view && (await links.find(view.team, view.channel));
      if (!linked) return undefined;
      const shown = include ? withRepeats(view) : view;
      const now = await atPriceOfNow(deps, { segmentsOf: segmentsOfJob }, shown, linked.instance);
      return previewOf(deps, now, linked);
    },
  };
}
