/** The characters of the default alphabet of 3GPP TS 23.038: one septet each. */
const BASIC =
  '@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !"#¤%&\'()*+,-./0123456789:;<=>?' +
  '¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà';

/** Its extension table: an escape and a second septet each. */
const EXTENSION = '\f^{}\\[~]|€';

/** Septets by UTF-16 code unit; 0 where the alphabet lacks it. A table, since lists of 100,000 texts are counted. */
const SEPTETS = new Uint8Array(0x10000);
for (const character of BASIC) SEPTETS[character.charCodeAt(0)] = 1;
for (const character of EXTENSION) SEPTETS[character.charCodeAt(0)] = 2;

/** How many septets (1 or 2) a UTF-16 code unit takes in GSM-7; 0 when it forces the text to UCS-2. */
export function gsm7Septets(codeUnit: number): number {
  return SEPTETS[codeUnit] ?? 0;
}
