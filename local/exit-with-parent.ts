// Node loads this file before the bot's own code. The bot then ends with the process that started it, even after kill -9.
process.on('disconnect', () => process.exit(1));
// Without this, the channel to the parent would keep a bot alive that could not start.
process.channel?.unref();
