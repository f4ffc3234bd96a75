import { expect, test } from 'vitest';
import { usageOf } from '../../src/ledger/rules/budget-usage.ts';

const states = {
  sent: { chunks: 1, messages: 100 },
  pending: { chunks: 1, messages: 100 },
};

test.each([
  ['that is dearer than estimated', { credits: 200, perMessage: 1, priced: 100 }],
  ['as it was estimated', { credits: 400, perMessage: 1.1, priced: 100 }],
])('a list %s holds for 100 more texts what 100 texts cost', (_, budget) => {
  const tally = { states, creditsUsed: 110 };
  expect(usageOf({ tally, budget: { ...budget, periods: [] } })).toEqual({ used: 110, held: 110 });
});
