// Loaded into the bot before its own code: without whoever started it, the bot has no workspace to work for, even where
// that one was killed and could not say so.
process.on('disconnect', () => process.exit(1));
// Watching is no reason to live: a bot that could not start ends by itself.
process.channel?.unref();
