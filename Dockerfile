# Built in two stages, so that compiler and headers stay out of the image that runs.
FROM python:3.11-slim-bookworm AS builder
RUN apt-get update \
    && apt-get install --yes --no-install-recommends build-essential pkg-config libmariadb-dev \
    && rm -rf /var/lib/apt/lists/*
COPY requirements/base.txt requirements/mariadb.txt /requirements/
RUN python -m venv /opt/venv \
    && /opt/venv/bin/pip install --no-cache-dir --require-hashes -r /requirements/base.txt \
    && /opt/venv/bin/pip install --no-cache-dir --require-hashes -r /requirements/mariadb.txt

FROM python:3.11-slim-bookworm
RUN apt-get update \
    && apt-get install --yes --no-install-recommends libmariadb3 \
    && rm -rf /var/lib/apt/lists/* \
    && useradd --system --uid 10001 --user-group --no-create-home pullkeeper
ENV PATH=/opt/venv/bin:$PATH \
    PORT=8000 \
    PYTHONDONTWRITEBYTECODE=1 \
    PYTHONUNBUFFERED=1
WORKDIR /app
COPY --from=builder /opt/venv /opt/venv
COPY . .
# The only place the product writes to, and only when it runs on SQLite.
RUN mkdir var && chown pullkeeper:pullkeeper var
USER 10001:10001
EXPOSE 8000
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=15s --timeout=6s --start-period=20s --retries=3 \
    CMD ["python", "-m", "tools.healthcheck", "http://127.0.0.1:8000/healthz"]
# The web process; the worker is the same image with `python manage.py qcluster`, and `python manage.py prepare`
# comes before both. See compose.yaml.
CMD ["gunicorn", "--bind", "0.0.0.0:8000"]
