import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { splitCommand, unwrapSlackText } from '../../../src/slack/requests/command-text.ts';

describe('unwrapSlackText', () => {
  it.each([
    ['<tel:+442079460958|+44 20 7946 0958> Hello', '+44 20 7946 0958 Hello'],
    ['<tel:+442079460958> Hello', '+442079460958 Hello'],
    ['write to <mailto:ana@example.com|ana@example.com>', 'write to ana@example.com'],
    ['<mailto:ana@example.com>', 'ana@example.com'],
    ['see <http://example.com|example.com>.', 'see example.com.'],
    ['see <https://example.com/a?b=1&amp;c=2>', 'see https://example.com/a?b=1&c=2'],
    ['<https://example.com|https://example.com>', 'https://example.com'],
    ['<@U012AB3CD|ana> and <@U012AB3CD>', '@ana and @U012AB3CD'],
    ['<#C012AB3CD|sales> and <#C012AB3CD>', '#sales and #C012AB3CD'],
    ['<!here> <!channel|channel> <!subteam^S012|@team>', '@here channel @team'],
    ['1 &lt; 2 &gt; 0 &amp; so on', '1 < 2 > 0 & so on'],
    ['&amp;lt;', '&lt;'],
    ['&amp;amp;', '&amp;'],
    ['&lt;tel:+442079460958|x&gt;', '<tel:+442079460958|x>'],
    ['a < b > c <i> <|> <>', 'a < b > c <i> <|> <>'],
    ['&quot; &#39; &nbsp;', '&quot; &#39; &nbsp;'],
    ['line\n\n  two  spaces\u00A0', 'line\n\n  two  spaces\u00A0'],
    ['', ''],
  ])('%j → %j', (text, typed) => {
    expect(unwrapSlackText(text)).toBe(typed);
  });

  it('undoes the escaping of any text', () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom('&', '<', '>', 'lt;', 'amp;', 'a', '|', 'tel:', '\n')),
        (pieces) => {
          const text = pieces.join('');
          const escaped = text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
          expect(unwrapSlackText(escaped)).toBe(text);
        },
      ),
    );
  });
});

describe('splitCommand', () => {
  it.each([
    ['', '', ''],
    ['  ', '', ''],
    ['balance', 'balance', ''],
    [' Balance ', 'balance', ''],
    ['--help', 'help', ''],
    ['—help', 'help', ''],
    ['\u200Ehelp', 'help', ''],
    ['send +44 20  Hello', 'send', '+44 20  Hello'],
    ['send\u00A0+44 20', 'send', '+44 20'],
    ['send   +44\n\n two  lines \n', 'send', '+44\n\n two  lines'],
    ['send\n+44 hi', 'send', '+44 hi'],
    ['send “+44” it’s – fine', 'send', '“+44” it’s – fine'],
  ])('%j', (text, word, rest) => {
    expect(splitCommand(text)).toEqual({ word, rest });
  });
});
