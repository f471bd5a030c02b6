"""The one settings file. Everything that differs between installations comes from the environment (config/env.py)."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import Any

from config import env
from config.api import API_DESCRIPTION, REST_FRAMEWORK_SETTINGS
from config.caches import cache_config
from config.databases import database_from_url
from config.logs import logging_config
from config.queue import queue_config
from config.safety import content_security_policy

BASE_DIR = Path(__file__).resolve().parent.parent

# --- what an installation says ------------------------------------------------------------------------------------
DEBUG = env.flag("DEBUG")
PORT = env.integer("PORT", 8000)
PUBLIC_URL = env.text("PUBLIC_URL") or f"http://127.0.0.1:{PORT}"
SECRET_KEY_IS_GENERATED = not env.secret("SECRET_KEY")
SECRET_KEY = env.secret("SECRET_KEY") or env.generated_secret(BASE_DIR / "var" / "secret_key")
ALLOWED_HOSTS = env.words("ALLOWED_HOSTS", "127.0.0.1,localhost,[::1]")

GITHUB_WEBHOOK_SECRETS = env.secret_words("GITHUB_WEBHOOK_SECRETS")
GITHUB_APP_ID = env.text("GITHUB_APP_ID")
GITHUB_APP_SLUG = env.text("GITHUB_APP_SLUG")
GITHUB_APP_PRIVATE_KEY = env.secret("GITHUB_APP_PRIVATE_KEY")
GITHUB_API_URL = env.text("GITHUB_API_URL", "https://api.github.com")
ACCESS_RULES_FILE = env.text("ACCESS_RULES_FILE")
AUDIT_FOLDER = env.text("AUDIT_FOLDER")
# Kubernetes sets it in every container.
IN_CLUSTER = bool(env.text("KUBERNETES_SERVICE_HOST"))
Q_BROKER_URL = env.secret("Q_BROKER_URL")

# --- data -----------------------------------------------------------------------------------------------------------
DATABASES = {
    "default": database_from_url(env.secret("DATABASE_URL") or f"sqlite:///{BASE_DIR / 'var' / 'db.sqlite3'}")
}
CACHES = cache_config(broker_url=Q_BROKER_URL)
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
Q_CLUSTER: dict[str, Any] = queue_config(broker_url=Q_BROKER_URL)

# What the apps provide, named by dotted path so that no app below has to import one above (as ROOT_URLCONF does).
PASSES = {
    "bot": "bot.passes.BOT",
    "idle": "idle.passes.IDLE",
    "sync-installations": "sync.passes.SYNC_INSTALLATIONS",
    "sync-repositories": "sync.passes.SYNC_REPOSITORIES",
    "redeliver": "sync.passes.REDELIVER",
    "cleanup": "webhooks.passes.CLEANUP",
    "merge": "merge.passes.MERGE",
    "work-sweep": "workqueue.passes.WORK_SWEEP",
    "sample": "monitor.passes.SAMPLE",
    "bulk": "monitor.passes.BULK",
}
SCHEDULES = "config.schedules.SCHEDULES"
# Bell name -> dotted task. A bell without a task is a no-op, so that writers may ring before anybody listens.
BELLS: dict[str, str] = {"bot": "bot.tasks.work", "work": "workqueue.tasks.work"}
# What considers a pull request at a look: dotted functions of (row, installation's client, repository's id).
LOOKS = ["bot.looks.ready_to_merge", "merge.looks.reconsider"]
# What else explains where a pull request is: dotted functions of (row, present) that return core.reasons.Reason values.
EXPLAINERS: list[str] = ["merge.explaining.explain", "submissions.explaining.explain"]

# --- the stack ------------------------------------------------------------------------------------------------------
INSTALLED_APPS = [
    "core",
    "workqueue",
    "webhooks",
    "sync",
    "submissions",
    "bot",
    "idle",
    "merge",
    "monitor",
    "rest_framework",
    "drf_spectacular",
    "drf_spectacular_sidecar",
    "django_q",
    "django_htmx",
    "axes",
    "csp",
    "config.admin.SiteConfig",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "whitenoise.runserver_nostatic",
    "django.contrib.staticfiles",
]

MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "csp.middleware.CSPMiddleware",
    # The last one: it turns a login that came too soon into its answer.
    "axes.middleware.AxesMiddleware",
]

AUTHENTICATION_BACKENDS = [
    "axes.backends.AxesStandaloneBackend",
    "django.contrib.auth.backends.ModelBackend",
    "core.access.backends.RoleBackend",
]

ROOT_URLCONF = "config.urls"
WSGI_APPLICATION = "config.wsgi.application"

TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ],
        },
    },
]

LANGUAGE_CODE = "en-us"
USE_I18N = False
USE_TZ = True
TIME_ZONE = "UTC"

STATIC_URL = "static/"
# Served straight from the packages that ship them: a fresh checkout needs no collecting step.
WHITENOISE_USE_FINDERS = True
# Of django-unfold nothing but the Chart.js that it ships; the app itself is not installed (docs/decisions/0004).
STATICFILES_DIRS = [("vendor", env.package_folder("unfold") / "static" / "unfold" / "js" / "chart")]

LOGIN_URL = "login"
LOGIN_REDIRECT_URL = "overview"
LOGOUT_REDIRECT_URL = "login"
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": f"django.contrib.auth.password_validation.{name}"}
    for name in (
        "UserAttributeSimilarityValidator",
        "MinimumLengthValidator",
        "CommonPasswordValidator",
        "NumericPasswordValidator",
    )
]

# --- the REST API ---------------------------------------------------------------------------------------------------
REST_FRAMEWORK = REST_FRAMEWORK_SETTINGS
SPECTACULAR_SETTINGS = API_DESCRIPTION

# --- safety ---------------------------------------------------------------------------------------------------------
HTTPS = PUBLIC_URL.startswith("https://")
SESSION_COOKIE_SECURE = HTTPS
CSRF_COOKIE_SECURE = HTTPS
SESSION_COOKIE_HTTPONLY = True
SESSION_COOKIE_SAMESITE = "Lax"
SECURE_HSTS_SECONDS = 31_536_000 if HTTPS else 0
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https") if HTTPS else None
SECURE_REFERRER_POLICY = "same-origin"
SECURE_CONTENT_TYPE_NOSNIFF = True
X_FRAME_OPTIONS = "DENY"
CSRF_TRUSTED_ORIGINS = [PUBLIC_URL] if HTTPS else []

CONTENT_SECURITY_POLICY = content_security_policy()

# Five wrong passwords for one name from one address close the door to that pair for a quarter of an hour. By the pair,
# because by the name alone a stranger could lock a person out.
AXES_FAILURE_LIMIT = 5
AXES_COOLOFF_TIME = timedelta(minutes=15)
AXES_LOCKOUT_PARAMETERS = [["username", "ip_address"]]
AXES_RESET_ON_SUCCESS = True
# Trying again while the door is closed does not keep it closed for longer.
AXES_RESET_COOL_OFF_ON_FAILURE_DURING_LOCKOUT = False
AXES_LOCKOUT_CALLABLE = "monitor.views.login.closed"
AXES_DISABLE_ACCESS_LOG = True
AXES_VERBOSE = False

LOGGING = logging_config(level=env.text("LOG_LEVEL", "INFO"))
LOGGING_CONFIG = "config.logs.configure"
