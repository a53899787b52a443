# The service as an image: what is pinned by hash in deploy/requirements.txt, and bot/. Nothing else is in it.
#
#   docker build -t recalibrate .
#   docker run --read-only --tmpfs /tmp -v recalibrate:/data -p 8080:8080 --env-file recalibrate.env recalibrate
#
# Settings are RECALIBRATE_* variables, told in docs/operation.md.
FROM python:3.11-slim AS packages
COPY deploy/requirements.txt /build/requirements.txt
RUN python -m venv /opt/recalibrate \
 && /opt/recalibrate/bin/pip install --no-cache-dir --disable-pip-version-check --require-hashes \
      -r /build/requirements.txt

FROM python:3.11-slim
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
HEALTHCHECK --interval=30s --timeout=5s --start-period=20s --retries=3 \
  CMD ["python", "-c", "import os, urllib.request; urllib.request.urlopen('http://127.0.0.1:' + os.environ['RECALIBRATE_PORT'] + '/healthz', timeout=4).read()"]
ENTRYPOINT ["python", "-m", "bot"]
CMD ["serve"]
