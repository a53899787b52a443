"""The composition root: the only package that constructs clients, store, processes, queue and routes."""

from __future__ import annotations

from bot.app.once import AppItself, Workbench, app_itself, workbench
from bot.app.serving import Service, service

__all__ = ["AppItself", "Service", "Workbench", "app_itself", "service", "workbench"]
