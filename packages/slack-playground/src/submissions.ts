import { z } from 'zod';
import { readView } from './content.ts';
import type { Ack } from './http-delivery.ts';
import type { Parts } from './parts.ts';
import { Refusal } from './refusal.ts';
import type { Json, View } from './types.ts';

/** What happened to a submitted modal. */
export interface Submitted {
  /**
   * `not_sent`: Slack's client itself found errors. `trouble`: the acknowledgement was bad or missing, so the client
   * says "We had some trouble connecting", and the modal stays open.
   */
  outcome: 'closed' | 'errors' | 'updated' | 'pushed' | 'cleared' | 'not_sent' | 'trouble';
  /** The errors under the inputs, by block id. */
  errors: Readonly<Record<string, string>>;
}

type ViewParts = Pick<Parts, 'views' | 'records'>;

/** Closes, changes or keeps a modal that `user` has submitted, as the acknowledgement says. */
export function settleSubmission(
  { views, records }: ViewParts,
  view: View,
  user: string,
  ack: Ack,
): Submitted & { toast: string | null } {
  if (ack.status !== 200) return { outcome: 'trouble', errors: {}, toast: ack.toast };
  try {
    // The app may have updated, closed or replaced the modal by other calls.
    if (ack.body !== '') return { ...obey({ views, records }, view, user, ack.body as Json), toast: null };
    if (views.get(view.id)) views.close(view.id);
    return { outcome: 'closed', errors: {}, toast: null };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    records.failed('ack', error.code, error.messages);
    return { outcome: 'trouble', errors: {}, toast: error.code };
  }
}

function obey({ views, records }: ViewParts, view: View, user: string, body: Json): Submitted {
  switch (body.response_action) {
    case 'errors': {
      const errors = readErrors(view, body.errors);
      if (!errors) throw new Refusal('invalid_errors');
      views.showErrors(view.id, errors);
      return { outcome: 'errors', errors };
    }
    case 'update':
      views.update(view.id, readView('ack', body.view, records));
      return { outcome: 'updated', errors: {} };
    case 'push':
      views.push(user, readView('ack', body.view, records));
      return { outcome: 'pushed', errors: {} };
    case 'clear':
      views.clear(user);
      return { outcome: 'cleared', errors: {} };
    default:
      throw new Refusal('invalid_response_action');
  }
}

/** The errors of an acknowledgement; undefined unless all of them are texts for inputs of the view. */
function readErrors(view: View, errors: unknown): Record<string, string> | undefined {
  const isInput = (id: string) => view.blocks.some((one) => one.type === 'input' && one.block_id === id);
  const { data } = z.record(z.string().refine(isInput), z.string().min(1)).safeParse(errors);
  return data && Object.keys(data).length > 0 ? data : undefined;
}
