# The service as an image: what is pinned by hash in deploy/requirements.txt, and bot/. Nothing else is in it.
#
# How to build and run it: docs/operation.md, "As an image".
ARG PYTHON=python:3.11.14-slim-bookworm

FROM ${PYTHON} AS packages
COPY deploy/requirements.txt /build/requirements.txt
# The secret `ca` is a CA in PEM, for a network whose proxy shows its own certificates: trusted besides the usual ones.
RUN --mount=type=secret,id=ca,target=/build/ca.pem,required=false \
    python -m venv /opt/recalibrate \
 && cat /etc/ssl/certs/ca-certificates.crt $(find /build/ca.pem 2>/dev/null) > /build/trusted.pem \
 && PIP_CERT=/build/trusted.pem /opt/recalibrate/bin/pip install --no-cache-dir --disable-pip-version-check \
      --require-hashes -r /build/requirements.txt

FROM ${PYTHON}
RUN useradd --system --uid 10001 --home-dir /data --shell /usr/sbin/nologin recalibrate \
 && install -d -o recalibrate -g recalibrate -m 0700 /data
COPY --from=packages /opt/recalibrate /opt/recalibrate
COPY bot /app/bot
ENV PATH=/opt/recalibrate/bin:$PATH \
    PYTHONPATH=/app \
    PYTHONDONTWRITEBYTECODE=1 \
    PYTHONUNBUFFERED=1 \
    RECALIBRATE_HOST=0.0.0.0 \
    RECALIBRATE_PORT=8080 \
    RECALIBRATE_WORK_DIR=/data
USER recalibrate
WORKDIR /data
VOLUME /data
EXPOSE 8080
# Not urllib: it would ask a proxy of the environment for this very address.
HEALTHCHECK --interval=30s --timeout=5s --start-period=20s --retries=3 \
  CMD ["python", "-P", "-c", "import http.client, os, sys; asked = http.client.HTTPConnection('127.0.0.1', int(os.environ['RECALIBRATE_PORT']), timeout=4); asked.request('GET', '/healthz'); sys.exit(asked.getresponse().status != 200)"]
ENTRYPOINT ["python", "-m", "bot"]
CMD ["serve"]
