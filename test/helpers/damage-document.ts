import type { Address, Engine } from '../../src/store/store.ts';

/** Cuts the text of a document in half. Its index entries stay. */
export async function damageDocument(engine: Engine, address: Address, version = 'damaged'): Promise<void> {
  const { documents } = await engine.read([address], []);
  const { text = '' } = documents[0] ?? {};
  const stored = { version, text: text.slice(0, text.length / 2) };
  await engine.commit({
    expected: [],
    puts: [{ address, stored }],
    deletes: [],
    entries: { added: [], removed: [] },
    at: engine.now(),
    isSynced: true,
  });
}
