// Loaded into the bot before its own code. The bot ends with the process that started it, even if that one was killed.
process.on('disconnect', () => process.exit(1));
// Watching does not keep the process alive, so a bot that could not start still ends.
process.channel?.unref();
