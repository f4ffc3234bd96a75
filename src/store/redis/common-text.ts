/**
 * Text that documents often hold, the most frequent last. Packed texts refer to it and can't be read without it. So it
 * is part of the format: a changed text is a new format, which must still know this one.
 */
export const COMMON_TEXT = [
  '"pauseReason":"","resends":{"send":"","indexes":[],"approval":{"askedAt":,"evidence":{"saidSentBy":"U',
  '"state":"rejected","state":"not_sent","state":"unknown","state":"pending","state":"sending","rateLimitKey":"',
  '"tally":{"states":{"rejected":{"chunks":1,"messages":1},"not_sent":{"unknown":{"pending":{"sending":{',
  '{"account":"https://","day":,"opening":,"since":,"differences":[]}{"live":[17],"held":[]}',
  '{"activity":,"receiptsSince":,"inFlight":[],"unexplained":0,"credits":,"asOf":,"baseline":{"at":},"statementDay":',
  '{"team":"T","channelId":"C","by":"U","day":,"used":,"held":0,"told":0,"person":"U","renewsAt":,"readers":["C","U"]}',
  '"others":{"arrived":0,"notSent":0,"unknown":0}}{"spacing":3000,"waiting":{"topic":"job","dueAt":,"payload":{',
  '"posted":{"card":{"channel":"C","ts":""},"results":{"of":"[]","updated":false}},"postedAt":',
  '"list":{"rows":,"toSend":,"wrong":{"wrong_number":0,"duplicate":0,"empty_placeholder":0,"too_long":0},',
  '"countries":[{"name":"","messages":}],"bySegments":{"1":},"ucs2":0,"samples":{"first":{"row":2,"e164":"+","text":""},',
  '"dearest":{},"wrongRows":[]},"given":{"template":"","file":{"id":"F","name":".csv"}},"topics":["job"],"state":"running",',
  '"servedAt":,"inFlightLimit":11,"unknownRun":0,"sizes":[["inFlight":{"0":},"priced":,"messageIds":[,"kind":"job",',
  '{"phone":"","row":,"text":"{"posted":{"channel":"C","ts":""},"isOfSend":true}',
  '{"state":"sent","attempt":1,"token":"","account":"https://","settledAt":,"result":{"cause":"accepted","messageId":,',
  '"creditsUsed":1,"creditsRemaining":},"size":1,"root":0}',
  '{"record":{"id":"","team":"T","channelId":"C","instance":"","account":"https://","kind":"single","details":{"by":"U',
  '"accountId":"https://","estimate":{"credits":,"perMessage":1,"basis":"documented","basis":"receipts"},',
  '"receiptLine":true,"e164":"+","reply":{"user":"U","channel":"C","issuedAt":,',
  '"responseUrl":"https://hooks.slack.com/commands/T"},"country":"","balance":,"confirmedAt":},',
  '"topics":["receipt","line"],"state":"finished","createdAt":,"expiresAt":,"decidedAt":,"decidedBy":"U","endedAt":},',
  '"work":{"chunks":1,"drafted":1,"next":1},"tally":{"states":{"sent":{"chunks":1,"messages":1}},"creditsUsed":1},',
  '"messages":[{"phone":"","text":""}],"budget":{"periods":["T/C/2026-","T/C/2026-/U"],"credits":1,"perMessage":1}}',
].join('');
