# The image of tsprov-scaler: Node.js, the libraries that it links to, and the program. There is nothing else in it, no shell either.
#
# Builds in a checkout after `npm ci`, and in the folder of the installed package, for the platform of the base image:
#   nerdctl build -t REGISTRY/tsprov-scaler:VERSION .
#
# Build arguments:
#   NODE_IMAGE    image with Node.js 20.20 or later, sh and ldd
#   NODE_DIGEST   its digest (sha256:…), where the tag is not to be trusted
#   VERSION       what the label says; by default that of this package
ARG NODE_IMAGE=docker.io/library/node:22-bookworm-slim
ARG NODE_DIGEST=

FROM ${NODE_IMAGE}${NODE_DIGEST:+@${NODE_DIGEST}} AS node
# glibc loads the libraries by which it looks up names of hosts without being linked to them.
RUN set -eu; \
    node=$(readlink -f "$(command -v node)"); \
    libraries=$(ldd "$node" | grep -o '/[^ )]*' || :); \
    for each in $libraries; do \
      case $each in */libc.so.6) folder=${each%/*}; \
        libraries="$libraries $folder/libnss_dns.so.2 $folder/libnss_files.so.2 $folder/libresolv.so.2" ;; \
      esac; \
    done; \
    for each in $libraries; do \
      [ -e "$each" ] || continue; \
      mkdir -p "/image${each%/*}"; \
      cp -L "$each" "/image$each"; \
    done; \
    mkdir -p /image/usr/local/bin /image/etc /image/tmp; \
    cp "$node" /image/usr/local/bin/node; \
    echo 'hosts: files dns' > /image/etc/nsswitch.conf; \
    echo 'scaler:x:65532:65532::/:/nonexistent' > /image/etc/passwd; \
    echo 'scaler:x:65532:' > /image/etc/group; \
    chmod -R a+rX /image; \
    chmod 1777 /image/tmp

FROM node AS program
COPY LICENSE package.json /image/app/
COPY bin/tsprov-scaler.js /image/app/bin/
COPY dist/scaler /image/app/dist/scaler
RUN chmod -R a+rX /image/app

FROM scratch
ARG VERSION=0.1.0
LABEL org.opencontainers.image.title="tsprov-scaler" \
      org.opencontainers.image.description="Scales workloads of Kubernetes on events, from and to zero." \
      org.opencontainers.image.version="${VERSION}" \
      org.opencontainers.image.licenses="Apache-2.0"
COPY --from=node /image /
COPY --from=program /image/app /app
WORKDIR /app
USER 65532:65532
# Metrics for the HPA, metrics and probes, operator for metrics servers of their own.
EXPOSE 6443 8080 9666
# The program is process 1: it has no children to wait for, and ends by itself when it is told to.
STOPSIGNAL SIGTERM
ENTRYPOINT ["/usr/local/bin/node", "/app/bin/tsprov-scaler.js"]
CMD ["run"]
