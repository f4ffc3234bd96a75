import { foldHeader } from './fold.ts';

/** What people and programs call a column of phone numbers; compared without case, spaces, punctuation and accents. */
const PHONE_NAMES = [
  'phone, phones, phone number, phone numbers, phone no, phone nr, phone num, phone 1, phone 1 value, primary phone',
  'mobile, mobiles, mobile number, mobile numbers, mobile no, mobile nr, mobile phone, mobile phone number, phone mobile',
  'cell, cell number, cell phone, cell phone number, cellular, number, numbers, msisdn, gsm, gsm number',
  'tel, tel no, tel nr, telephone, telephone number, telephone no, telephone mobile, contact number, contact phone',
  'whatsapp, whatsapp number, sms number, recipient, recipients, recipient number, recipient phone, to, destination',
  'customer phone, customer mobile, client phone, home phone, work phone, business phone, main phone, phone e164, e164',
  // German
  'Telefon, Telefonnummer, Telefonnummern, Telefon Nr, Telefon Mobil, Telefon privat, Tel Nummer, Tel Mobil, Fon',
  'Handy, Handynummer, Handynummern, Handy Nr, Mobil, Mobilnummer, Mobil Nr, Mobiltelefon, Mobiltelefonnummer',
  'Mobilfunk, Mobilfunknummer, Rufnummer, Mobilrufnummer, Nummer, Natel, Natelnummer, Empfänger, Empfängernummer',
  // French
  'téléphone, téléphone portable, téléphone mobile, tél portable, tél mobile, numéro, numéro de téléphone, num tél',
  'numéro téléphone, numéro de tél, numéro de portable, numéro portable, numéro mobile, portable, N° téléphone',
  'N° de téléphone, Nº de téléphone, N° tél, N° portable, N° mobile, GSM, destinataire',
  // Spanish, Portuguese, Italian, Romanian
  'teléfono, teléfonos, teléfono móvil, teléfono celular, móvil, celular, número, número de teléfono, número telefónico',
  'número de móvil, número de celular, número móvil, número celular, N° de teléfono, Nº de teléfono, destinatario',
  'telefone, telefone celular, telemóvel, número de telefone, número do telefone, número de telemóvel, telefone móvel',
  'telefono, telefono cellulare, cellulare, numero, numero di telefono, numero telefono, numero di cellulare',
  'numero cellulare, n cellulare, telefon mobil, număr, număr de telefon, număr telefon, nr telefon, nr tel',
  // Dutch and the North
  'telefoon, telefoonnummer, telefoon nr, mobiel, mobiele nummer, mobiel nummer, mobiele telefoon, nummer, gsm nummer',
  'mobilnummer, mobil nr, tlf, tlf nr, mobiltelefon, telefonnummer, mobil tlf, sími, símanúmer, farsími',
  'puhelin, puhelinnumero, puhelinnro, matkapuhelin, matkapuhelinnumero, kännykkä, gsm numero, numero',
  'telefoninumber, mobiilinumber, mobiil, tālrunis, tālruņa numurs, mobilais, telefonas, telefono numeris, mobilus',
  // Middle and Eastern Europe
  'telefon komórkowy, numer, numer telefonu, nr telefonu, nr tel, komórka, tel komórkowy, tel kom, nr komórki',
  'telefonní číslo, číslo, číslo telefonu, mobilní číslo, mobilní telefon, telefónne číslo, mobilné číslo',
  'telefonszám, mobilszám, mobil telefonszám, szám, broj, broj telefona, broj mobitela, mobitel, mobilni, broj mobilnog',
  'telefonska številka, številka, mobilni telefon, telefoni, numri, numri i telefonit, celulari',
  'телефон, телефоны, номер, номер телефона, мобильный, мобильный телефон, моб телефон, сотовый, сотовый телефон, тел',
  'номер телефону, мобільний, мобільний телефон, телефонен номер, мобилен, мобилен телефон, број телефона, број',
  'τηλέφωνο, κινητό, κινητό τηλέφωνο, αριθμός, αριθμός τηλεφώνου, τηλ, τηλέφωνα',
  'cep, cep telefonu, cep tel, cep no, telefon numarası, telefon no, numara, gsm no',
  // Further
  'טלפון, נייד, טלפון נייד, מספר, מספר טלפון, מספר נייד, هاتف, الهاتف, رقم الهاتف, رقم, رقم الجوال, جوال, الجوال, موبايل',
  'تلفن, شماره, شماره تلفن, شماره موبایل, فون, موبائل, फ़ोन, फोन, फोन नंबर, मोबाइल, मोबाइल नंबर, नंबर, ফোন, মোবাইল',
  '电话, 电话号码, 手机, 手机号, 手机号码, 号码, 電話, 電話號碼, 手機, 手機號碼, 號碼, 電話番号, 携帯, 携帯電話, 携帯番号, 携帯電話番号, 番号',
  '전화, 전화번호, 휴대폰, 휴대폰번호, 휴대전화, 핸드폰, 핸드폰번호, 연락처, 번호, โทรศัพท์, เบอร์โทร, เบอร์โทรศัพท์, มือถือ, เบอร์มือถือ',
  'điện thoại, số điện thoại, sđt, di động, số di động, telepon, nomor, nomor telepon, nomor hp, no hp, hp, telefon bimbit',
];

const MESSAGE_NAMES = [
  'message, messages, message text, text, text message, sms, sms text, sms message, body, content',
  'Nachricht, Nachrichtentext, Text, SMS Text, Mitteilung, texte, texto, testo, mensaje, mensagem, messaggio',
  'bericht, tekst, besked, meddelande, melding, viesti, skilaboð, wiadomość, treść, zpráva, správa, üzenet, mesaj, poruka',
  'sporočilo, сообщение, текст, смс, повідомлення, съобщение, порука, μήνυμα, κείμενο, הודעה, رسالة, الرسالة, نص',
  'پیام, متن, संदेश, 消息, 短信, 短信内容, 内容, 訊息, 簡訊, 內容, メッセージ, 本文, 메시지, 문자, 내용, ข้อความ, tin nhắn, pesan',
];

const PHONE_HEADERS = folded(PHONE_NAMES);
const MESSAGE_HEADERS = folded(MESSAGE_NAMES);

/** Whether a column of this name holds phone numbers. */
export function isPhoneHeader(name: string): boolean {
  return PHONE_HEADERS.has(foldHeader(name));
}

/** Whether a column of this name holds each row's own text. */
export function isMessageHeader(name: string): boolean {
  return MESSAGE_HEADERS.has(foldHeader(name));
}

function folded(lines: string[]): Set<string> {
  return new Set(lines.flatMap((line) => line.split(', ')).map(foldHeader));
}
