class E(BaseException):
    def __str__(self): raise ValueError
raise E
