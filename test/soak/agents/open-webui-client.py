"""Requests models and a streamed chat as Open WebUI 0.12.4 does: open_webui/config.py reads the variables, open_webui/routers/openai.py sends the requests."""

import asyncio
import json
import os
import sys

import aiohttp

question = os.environ["QUESTION"]
url = os.environ.get("OPENAI_API_BASE_URL", "").removesuffix("/") or "https://api.openai.com/v1"
key = os.environ.get("OPENAI_API_KEY", "")
headers = {"Authorization": f"Bearer {key}"}


async def main() -> None:
    async with aiohttp.ClientSession(trust_env=True) as session:
        async with session.get(f"{url}/models", headers=headers) as response:
            models = [model["id"] for model in (await response.json())["data"]]
        body = {
            "stream": True,
            "model": next(model for model in models if model == "sandbox/chat"),
            "messages": [{"role": "user", "content": question}],
            "stream_options": {"include_usage": True},
        }
        async with session.post(
            f"{url}/chat/completions", data=json.dumps(body), headers={"Content-Type": "application/json", **headers}
        ) as response:
            async for line in response.content:
                text = line.decode().strip().removeprefix("data: ")
                if text in ("", "[DONE]"):
                    continue
                for choice in json.loads(text)["choices"]:
                    sys.stdout.write(choice["delta"].get("content") or "")


if sys.argv[1:] != ["serve"]:
    sys.exit(f"unknown command: {sys.argv[1:]}")
asyncio.run(main())
