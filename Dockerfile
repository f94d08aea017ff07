# docker build -t kassay . && docker run --rm -v "$PWD:/work" kassay certify my_assignor.py
FROM python:3.11-slim AS build
WORKDIR /build
COPY pyproject.toml README.md LICENSE ./
COPY src src
RUN python -m pip wheel --no-cache-dir --no-deps --wheel-dir dist .

FROM python:3.11-slim
WORKDIR /opt/kassay
COPY --from=build /build/dist dist
RUN python -m pip install --no-cache-dir "$(echo dist/*.whl)[kafka,live]" && rm -r dist
# Any user will do: `docker run --user "$(id -u)"` writes the reports as you.
USER 65532:65532
ENV HOME=/tmp
WORKDIR /work
ENTRYPOINT ["kassay"]
