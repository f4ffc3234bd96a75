// Loaded into the bot before its own code. The bot ends with the process that started it, even if that one was killed.
process.on('disconnect', () => process.exit(1));
// Watching keeps no process alive: a bot that could not start still ends.
process.channel?.unref();
