# The minor version that the tests run on: package.json has it among the devDependencies.
FROM node:24.21-slim

WORKDIR /app
COPY package.json package-lock.json ./
# Of the emoji names one language is read; the others are 49 MB.
RUN npm ci --omit=dev --ignore-scripts && npm cache clean --force \
  && find node_modules/emojibase-data -mindepth 1 -maxdepth 1 ! -name en ! -name package.json -exec rm -rf {} +
COPY src ./src

# The database is here: keep it on a volume of a local disk.
RUN mkdir /data && chown node:node /data
VOLUME /data

ENV NODE_ENV=production DATA_DIR=/data
USER node
EXPOSE 3000

HEALTHCHECK --interval=30s --timeout=5s --start-period=15s \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT || 3000}/healthz`).then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]

CMD ["node", "--disable-sigusr1", "--max-semi-space-size=16", "src/start.js"]
