"""What the docs' examples use of the openai package, for machines that do not have it.

It sends the same requests and fails in the same places: arguments that the SDK does not know are a
TypeError, and what is in extra_body goes into the body as it is.
"""

import json
import time
import urllib.error
import urllib.request
import uuid
from types import SimpleNamespace

COMPLETION_ARGUMENTS = frozenset(
    "model prompt best_of echo frequency_penalty logit_bias logprobs max_tokens n presence_penalty "
    "seed stop stream stream_options suffix temperature top_p user".split()
)


class APIStatusError(Exception):
    def __init__(self, status, headers, body):
        error = json.loads(body)["error"]
        super().__init__(f"Error code: {status} - {error['message']}")
        self.status_code = status
        self.response = SimpleNamespace(headers=headers)
        self.body = error
        self.code = error["code"]


class RateLimitError(APIStatusError):
    pass


class Answer:
    def __init__(self, response):
        self.headers = response.headers
        self._response = response

    def parse(self):
        return shaped(json.load(self._response))


class OpenAI:
    def __init__(self, base_url, api_key, max_retries=2):
        self._base_url = base_url
        self._api_key = api_key
        self._max_retries = max_retries
        self.completions = Completions(self)
        self.models = Models(self)
        self.files = Files(self)
        self.batches = Batches(self)

    def send(self, path, body=None, content_type="application/json"):
        headers = {"Authorization": f"Bearer {self._api_key}"}
        if body is not None:
            headers["Content-Type"] = content_type
        request = urllib.request.Request(self._base_url + path, data=body, headers=headers)
        for attempts_left in range(self._max_retries, -1, -1):
            try:
                return urllib.request.urlopen(request)
            except urllib.error.HTTPError as error:
                if attempts_left == 0 or error.headers.get("x-should-retry") != "true":
                    kind = RateLimitError if error.code == 429 else APIStatusError
                    raise kind(error.code, error.headers, error.read()) from None
                time.sleep(float(error.headers["retry-after-ms"]) / 1000)


class Completions:
    def __init__(self, client):
        self._client = client
        self.with_raw_response = SimpleNamespace(create=self._create)

    def create(self, **fields):
        answer = self._create(**fields)
        return events(answer._response) if fields.get("stream") else answer.parse()

    def _create(self, extra_body=None, **fields):
        for name in fields.keys() - COMPLETION_ARGUMENTS:
            raise TypeError(f"Completions.create() got an unexpected keyword argument '{name}'")
        body = json.dumps({**fields, **(extra_body or {})}).encode()
        return Answer(self._client.send("/completions", body))


class Models:
    def __init__(self, client):
        self._client = client

    def list(self):
        return shaped(json.load(self._client.send("/models"))).data


class Files:
    def __init__(self, client):
        self._client = client

    def create(self, file, purpose):
        name, content = file
        edge = uuid.uuid4().hex
        parts = [
            f'--{edge}\r\nContent-Disposition: form-data; name="purpose"\r\n\r\n{purpose}\r\n',
            f'--{edge}\r\nContent-Disposition: form-data; name="file"; filename="{name}"\r\n\r\n',
        ]
        body = "".join(parts).encode() + content + f"\r\n--{edge}--\r\n".encode()
        return shaped(json.load(self._client.send("/files", body, f"multipart/form-data; boundary={edge}")))

    def content(self, file_id):
        return SimpleNamespace(text=self._client.send(f"/files/{file_id}/content").read().decode())


class Batches:
    def __init__(self, client):
        self._client = client

    def create(self, **fields):
        return shaped(json.load(self._client.send("/batches", json.dumps(fields).encode())))

    def retrieve(self, batch_id):
        return shaped(json.load(self._client.send(f"/batches/{batch_id}")))


def events(response):
    for line in response:
        if line.startswith(b"data: {"):
            yield shaped(json.loads(line[len(b"data: "):]))


def shaped(value, name=None):
    """Members as attributes, as the SDK has them; maps of tokens stay maps."""
    if isinstance(value, list):
        return [shaped(each, name) for each in value]
    if not isinstance(value, dict) or name == "top_logprobs":
        return value
    members = {key: shaped(each, key) for key, each in value.items()}
    return SimpleNamespace(**{"usage": None, "output_file_id": None, **members})
