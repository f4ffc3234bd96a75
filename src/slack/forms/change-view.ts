import type { ModalView } from '@slack/types';
import type { WebClient } from '@slack/web-api';
import { createShortMemory } from '../../core/short-cache.ts';
import { unescaped } from '../requests/command-text.ts';
import { showView } from './show-view.ts';

/** A view as a person saw it when they clicked in it. */
interface SeenView extends Pick<ModalView, 'blocks' | 'private_metadata'> {
  id: string;
  hash: string;
}

/** Blocks as the bot wrote them: Slack hands their plain words back with `& < >` escaped, and counts the entities' length. */
function asWritten(blocks: ModalView['blocks']): ModalView['blocks'] {
  return JSON.parse(JSON.stringify(blocks), (_name, part) =>
    part?.type === 'plain_text' ? { ...part, text: unescaped(part.text) } : part,
  );
}

/** How long after a change a click may come that somebody made before it, in ms. */
const LATE_MS = 10_000;

/**
 * Changes views, one click after the other. People may click again before they see what the first click changed. Then
 * `make` gets the changed view, so both clicks count. @throws the error of Slack's views.update
 */
export function createChangeView({ views }: Pick<WebClient, 'views'>) {
  /** `hashes`: of the views that a person may still have seen when they clicked. */
  const changes = createShortMemory<Promise<{ hashes: string[]; to: SeenView }>>(LATE_MS, () =>
    performance.now(),
  );
  return async (seen: SeenView, make: (shown: SeenView) => Promise<ModalView>): Promise<void> => {
    const { id, hash } = seen;
    const before = changes.get(id);
    const change = async () => {
      const last = await before?.catch(() => undefined);
      const late = last?.hashes.includes(hash) ? last : undefined;
      const shown = late?.to ?? { ...seen, blocks: asWritten(seen.blocks) };
      const view = await make(shown);
      const updated = await showView(view, (each) =>
        views.update({ view_id: id, hash: shown.hash, view: each }),
      );
      const to = { ...view, id, hash: updated.view?.hash ?? shown.hash };
      return { hashes: [...(late?.hashes ?? []), shown.hash], to };
    };
    const changing = change();
    changes.set(id, changing);
    await changing;
  };
}
