"""Stands in for Modal's package: it takes what infra/modal asks for, and nothing that Modal 1.5
does not have, and writes it down. It starts nothing."""
import os

asked = {"apps": [], "servers": [], "functions": []}


def is_local():
    return True


class Image:
    def __init__(self, *base):
        self.steps = [list(base)]

    @staticmethod
    def from_registry(tag, *, add_python=None):
        return Image("from_registry", tag, add_python)

    @staticmethod
    def debian_slim(python_version=None):
        return Image("debian_slim", python_version)

    def entrypoint(self, command):
        return self._build("entrypoint", command)

    def env(self, variables):
        assert all(isinstance(value, str) for value in variables.values()), variables
        return self._build("env", variables)

    def pip_install(self, *packages):
        return self._build("pip_install", *packages)

    def add_local_file(self, local_path, remote_path):
        assert os.path.isfile(local_path), local_path
        return self._add("add_local_file", remote_path)

    def add_local_dir(self, local_path, remote_path):
        assert os.path.isdir(local_path), local_path
        return self._add("add_local_dir", remote_path)

    def _build(self, *step):
        # Modal refuses to build on top of files that it adds when a container starts.
        assert not any(name.startswith("add_local") for name, *_ in self.steps), step
        self.steps.append(list(step))
        return self

    def _add(self, *step):
        self.steps.append(list(step))
        return self


class Volume:
    def __init__(self, name):
        self.name = name
        self.commits = 0

    @staticmethod
    def from_name(name, *, create_if_missing=False):
        assert create_if_missing, f"{name} would have to be made by hand"
        return Volume(name)

    def commit(self):
        self.commits += 1


class Secret:
    def __init__(self, name):
        self.name = name

    @staticmethod
    def from_name(name):
        return Secret(name)


def enter():
    return _marked("enter")


def exit():  # noqa: A001
    return _marked("exit")


def _marked(when):
    def mark(method):
        method.when = when
        return method

    return mark


class App:
    def __init__(self, name):
        assert len(name) < 64, name
        asked["apps"].append(name)

    def server(
        self,
        *,
        image,
        gpu,
        cpu,
        memory,
        volumes,
        secrets,
        port,
        startup_timeout,
        exit_grace_period,
        routing_region,
        unauthenticated,
        min_containers,
        max_containers,
        scaledown_window,
        target_concurrency=None,
    ):
        request = _plain(locals())

        def register(cls):
            assert cls.__init__ is object.__init__, "a Server has no constructor of its own"
            request["hooks"] = {
                method.when: name for name, method in vars(cls).items() if hasattr(method, "when")
            }
            asked["servers"].append(request)
            return cls

        return register

    def function(self, *, image, volumes, secrets, cpu, memory, timeout):
        request = _plain(locals())

        def register(function):
            asked["functions"].append(request)
            request["remote_calls"] = []

            def remote(*arguments):
                request["remote_calls"].append(list(arguments))
                return "/weights/a-snapshot"

            function.remote = remote
            return function

        return register

    def local_entrypoint(self):
        return lambda function: function


def _plain(given):
    """As JSON takes it: Volumes, Secrets and the image by their names and steps."""
    request = {name: value for name, value in given.items() if name != "self"}
    request["image"] = request["image"].steps
    request["volumes"] = {path: volume.name for path, volume in request["volumes"].items()}
    request["secrets"] = [secret.name for secret in request["secrets"]]
    return request
