# The server with its production packages, as a user without privileges and for a read-only root file system.
# `deploy/image/assemble.mjs` makes the same layers without a container engine, and measures them.

# The version that the tests run on.
ARG NODE_IMAGE=node:24.21.0-trixie-slim

# The compiled server and dashboard do not depend on the platform.
FROM --platform=$BUILDPLATFORM ${NODE_IMAGE} AS build
WORKDIR /source
COPY package.json package-lock.json .npmrc ./
RUN npm ci --include=dev --ignore-scripts --no-audit --no-fund --loglevel=error
COPY . .
RUN node src/cli/prepare.mjs && sh deploy/image/copy-product.sh . /product

FROM ${NODE_IMAGE} AS packages
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
COPY deploy/image/install-packages.sh deploy/image/trim-packages.sh deploy/image/write-sbom.mjs /scripts/
RUN sh /scripts/install-packages.sh /app

FROM ${NODE_IMAGE}
ARG VERSION=0.1.0
ARG REVISION=unknown
ARG CREATED=1970-01-01T00:00:00Z
LABEL org.opencontainers.image.title="Sluice" \
  org.opencontainers.image.description="Self-hosted, multimodal AI gateway" \
  org.opencontainers.image.licenses="Apache-2.0" \
  org.opencontainers.image.version="${VERSION}" \
  org.opencontainers.image.revision="${REVISION}" \
  org.opencontainers.image.created="${CREATED}" \
  org.opencontainers.image.base.name="docker.io/library/node:24.21.0-trixie-slim" \
  sluice.sbom.path="/app/sbom.cdx.json" \
  sluice.sbom.format="application/vnd.cyclonedx+json"
# The volume belongs to the user of the server. Its folder in it is created with the mode 0700.
RUN install -d -o 1000 -g 1000 -m 0750 /data /etc/sluice && ln -s /app/dist/cli/sluice.js /usr/local/bin/sluice
COPY --from=packages /app/node_modules /app/node_modules
COPY --from=packages /app/sbom.cdx.json /app/
COPY --from=build /product /app
ENV HOST=0.0.0.0 SLUICE_DATA_DIR=/data/sluice
# `sluice.yaml` is read from here.
WORKDIR /etc/sluice
USER 1000:1000
VOLUME ["/data"]
EXPOSE 4000
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=15s --timeout=5s --start-period=60s --retries=3 CMD ["node", "/app/healthcheck.mjs"]
ENTRYPOINT ["sluice"]
CMD ["serve"]
