import type { ModalView } from '@slack/types';
import type { WebClient } from '@slack/web-api';
import { expect, test } from 'vitest';
import { createChangeView } from '../../../src/slack/forms/change-view.ts';

const VIEW: ModalView = { type: 'modal', title: { type: 'plain_text', text: 'Link' }, blocks: [] };

/** A view in a Slack that refuses changes of an older one. Each change adds its name to the view's blocks. */
function startView() {
  let hash = 0;
  async function update(change: { hash: string; view: ModalView }) {
    if (change.hash !== String(hash)) throw new Error('hash_conflict');
    hash += 1;
    blocks = change.view.blocks;
    return { view: { hash: String(hash) } };
  }
  let blocks: ModalView['blocks'] = [];
  const changeView = createChangeView({ views: { update } } as unknown as WebClient);
  return {
    /** A click that somebody made when the view had this hash. */
    click: (name: string, sawHash: number) =>
      changeView({ id: 'V1', hash: String(sawHash), blocks: [] }, async (shown) => ({
        ...VIEW,
        blocks: [...shown.blocks, { type: 'divider', block_id: name }],
      })),
    names: () => blocks.map(({ block_id }) => block_id),
  };
}

test('quick clicks all count, whichever earlier view the person still saw', async () => {
  const { click, names } = startView();
  const first = click('first', 0);
  const second = click('second', 0);
  await first;
  // By now they see the first change, but not yet the second.
  await Promise.all([second, click('third', 1), click('fourth', 0)]);
  expect(names()).toEqual(['first', 'second', 'third', 'fourth']);
});

test('a change of a view that somebody else has changed meanwhile is refused', async () => {
  const { click } = startView();
  await click('first', 0);
  await expect(click('second', 7)).rejects.toThrow('hash_conflict');
});
