import { expect, test } from 'vitest';
import { rememberedPeople, shownPeople } from '../../../src/slack/forms/shown-people.ts';

const people = (count: number) => Array.from({ length: count }, (_, at) => `U0${1000 + at}`);
const told = (before: string[], chosen: string[], now: string[]) => {
  const remembered = rememberedPeople(before);
  return shownPeople(remembered.people, remembered.peopleDigest, [chosen, now]);
};

test('a hundred people are remembered themselves', () => {
  const hundred = people(100);
  expect(rememberedPeople(hundred)).toEqual({ people: hundred });
  expect(told(hundred, ['U1'], ['U2'])).toEqual(hundred);
});

test('for more people a form can name those that it showed, unless this person and somebody else changed them', () => {
  const many = people(101);
  const [first = '', ...others] = many;
  expect(JSON.stringify(rememberedPeople(many)).length).toBeLessThan(100);
  // Slack may return the people in another order.
  expect(told(many, [...others, first], others)).toEqual([...others, first]);
  expect(told(many, others, many)).toEqual(many);
  expect(told(many, [...many, 'U1'], others)).toBeUndefined();
});
