/** Why our own client did not hand a text to the service, by its code: a clause in plain text. */
export function clientRefusal(code: string | undefined): string {
  switch (code) {
    case 'phone_invalid':
      return 'a number needs 5 to 15 digits, its country code first';
    case 'text_empty':
      return 'the text is empty';
    case 'text_too_long':
      return 'the text is too long';
    default:
      return 'the service takes no such number or text';
  }
}
