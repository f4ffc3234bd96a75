// Node loads this file before the bot's own code. The bot then ends with the process that started it, even after kill -9.
process.on('disconnect', () => process.exit(1));
// Without this, a bot that failed to start would stay alive: the channel to the parent keeps Node running.
process.channel?.unref();
